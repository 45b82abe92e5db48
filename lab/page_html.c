// Writes a page of results as one HTML file: no scripts, no network, light and dark, printable.
#define _POSIX_C_SOURCE 200809L
#include "page_inside.h"

#include <math.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--paper:#fff;--panel:#f4f6f8;--line:#d5dbe1;--good:#116329;"
    "--bad:#a40e26;--c0:#0068b3;--c1:#c2410c;--c2:#00785a;--c3:#a2337f;--c4:#806400;--c5:#5b3fc4;--c6:#4d5660;--c7:#b0203a}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6eaee;--soft:#9da7b1;--paper:#14181d;--panel:#1d232a;--line:#39424c;"
    "--good:#56d37c;--bad:#ff7b83;--c0:#58b0f5;--c1:#ff9a5c;--c2:#3fd0a5;--c3:#e58bc7;--c4:#e0bc4a;--c5:#a996ff;--c6:#a8b1bb;"
    "--c7:#ff8496}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:62rem;padding:1.5rem 1rem 4rem;background:var(--paper);"
    "color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{line-height:1.2;margin:0 0 1rem}h2{margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line);"
    "line-height:1.25}p{max-width:46rem}a{color:var(--c0)}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;color:var(--soft);font-size:.9rem}dt{font-weight:600}"
    "dd{margin:0;overflow-wrap:anywhere}nav ul{padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}\n"
    // Wide tables extend beyond the text; their captions stay visible while scrolling.
    ".wide{overflow-x:auto;margin:1.2rem calc(-1*max(0px,(100vw - 62rem)/2 - 1.5rem)) 1.2rem 0}caption span{position:sticky;left:0;"
    "display:inline-block;max-width:min(62rem,100vw - 2rem)}section td{white-space:nowrap}section "
    "td.w{white-space:normal;min-width:14rem}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;font-weight:600;padding-bottom:.4rem}th,td{padding:.22rem .7rem;border-bottom:1px solid var(--line);"
    "text-align:left;vertical-align:top}th{background:var(--panel)}td.n,th.n{text-align:right}th.g{text-align:center;border-left:"
    "1px solid var(--line)}th{vertical-align:bottom}tbody tr:hover{background:var(--panel)}td:first-child{white-space:nowrap}\n"
    "figure{margin:1.5rem 0;max-width:46rem}figcaption{font-size:.9rem;font-weight:600;margin-bottom:.3rem}\n"
    ".plot{display:block;width:100%;height:auto;font-size:12px}.plot text{fill:var(--soft)}.grid{stroke:var(--line);"
    "stroke-width:1}.axis{fill:none;stroke:var(--soft)}\n"
    ".s{fill:currentColor;stroke:currentColor}.s polyline{fill:none;stroke-width:2;stroke-linejoin:round}\n"
    ".s0,.b0{color:var(--c0)}.s1,.b1{color:var(--c1)}.s2,.b2{color:var(--c2)}.s3,.b3{color:var(--c3)}.s4,.b4{color:var(--c4)}"
    ".s5,.b5{color:var(--c5)}.s6,.b6{color:var(--c6)}.s7,.b7{color:var(--c7)}.b{fill:currentColor}\n"
    ".s1 polyline{stroke-dasharray:7 3}.s2 polyline{stroke-dasharray:2 3}.s3 polyline{stroke-dasharray:9 3 2 3}"
    ".s5 polyline{stroke-dasharray:7 3}.s6 polyline{stroke-dasharray:2 3}.s7 polyline{stroke-dasharray:9 3 2 3}\n"
    ".legend{list-style:none;margin:0 0 .3rem;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;font-size:.85rem}"
    ".legend svg{vertical-align:middle}\n"
    ".picture{max-width:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:.8rem}"
    ".picture figcaption{grid-column:1/-1;max-width:46rem}.picture svg{width:100%;background:var(--panel)}"
    ".picture text{fill:var(--ink);font-size:12px}.picture circle{stroke:#0006;stroke-width:.4}"
    ".picture path{stroke-width:.3;stroke-linejoin:round}\n"
    ".verdict dl{margin:.3rem 0 "
    "0}.verdict>summary{color:inherit}small{color:var(--soft)}.count{font-size:1.2rem}.listed{max-width:60rem}.listed "
    "li{margin-bottom:.4rem}summary{cursor:pointer;color:var(--soft)}\n"
    ".verdict{border-left:4px solid var(--soft);background:var(--panel);padding:.35rem .8rem;margin:.5rem 0;max-width:46rem}"
    ".holds{border-color:var(--good)}.fails{border-color:var(--bad)}.holds b{color:var(--good)}.fails b{color:var(--bad)}"
    "td b.holds{color:var(--good)}td b.fails{color:var(--bad)}\n"
    "@media print{body{max-width:none}figure,table{break-inside:avoid}}\n";

static const char *judgement_class(page_judgement judgement)
{
    static const char *const names[] = {"holds", "fails", "skipped"};
    return names[judgement];
}

void page_put_escaped(FILE *out, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++) {
        switch (*c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputc((unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c, out);
        }
    }
}

static void put_element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    page_put_escaped(out, text);
    fputs(close, out);
}

// The rule by which a claim was judged, and by how much it holds or fails.
static void write_rule(const page_item *item, FILE *out)
{
    if (!item->rule)
        return;
    put_element(out, item->judgement == PAGE_SKIPPED ? "<dt>not judged</dt><dd>" : "<dt>rule</dt><dd>", item->rule, "</dd>\n");
    if (isfinite(item->margin) && item->judgement != PAGE_SKIPPED)
        fprintf(out, "<dt>margin</dt><dd>%.3g (from 1 on it holds)</dd>\n", item->margin);
}

// What holds by a rule is folded to its claim; what fails is open.
static void write_verdict(const page_item *item, FILE *out)
{
    const char *word = page_judgement_word(item->judgement);
    bool folded = item->rule && item->judgement != PAGE_FAILS;
    fprintf(out, "<details class=\"verdict %s\"%s><summary><b>%c%s:</b> ", judgement_class(item->judgement), folded ? "" : " open",
            word[0] - 'a' + 'A', word + 1);
    put_element(out, "", item->claim, ".</summary>\n<dl>");
    put_element(out, "<dt>measured</dt><dd>", item->text, "</dd>\n");
    write_rule(item, out);
    fputs("</dl></details>\n", out);
}

static bool is_number_column(const page_item *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const page_cell_value *cell = page_cell_at(table, row, column);
        if (cell && cell->is_number)
            return true;
    }
    return false;
}

// Length of the group prefix of a column name; 0: none.
static size_t group_length(const char *name)
{
    const char *colon = strstr(name, ": ");
    return colon ? (size_t)(colon - name) : 0;
}

static bool has_groups(const page_item *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (group_length(table->columns[c]) > 0)
            return true;
    return false;
}

static void write_group_row(const page_item *table, FILE *out)
{
    fputs("<tr>", out);
    for (size_t c = 0, next; c < table->column_count; c = next) {
        const char *name = table->columns[c];
        size_t length = group_length(name);
        for (next = c + 1; next < table->column_count; next++)
            if (length == 0 || group_length(table->columns[next]) != length || strncmp(table->columns[next], name, length) != 0)
                break;
        fprintf(out, "<th scope=\"colgroup\" class=\"g\" colspan=\"%zu\">", next - c);
        for (size_t i = 0; i < length; i++)
            page_put_escaped(out, (const char[]){name[i], 0});
        fputs("</th>", out);
    }
    fputs("</tr>", out);
}

// Whether a cell may wrap; short words and numbers do not.
static bool is_sentence(const page_cell_value *cell)
{
    enum { SHORT = 40 };
    return cell && cell->text && strlen(cell->text) > SHORT;
}

static void write_table(const page_item *table, const char *section, FILE *out)
{
    fputs("<div class=\"wide\" tabindex=\"0\"><table id=\"", out);
    put_element(out, "", section, "-");
    put_element(out, "", table->id, "\"><caption><span>");
    put_element(out, "", table->text, "</span></caption><thead>");
    if (has_groups(table))
        write_group_row(table, out);
    fputs("<tr>", out);
    for (size_t c = 0; c < table->column_count; c++) {
        size_t group = group_length(table->columns[c]);
        put_element(out, is_number_column(table, c) ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">",
                    table->columns[c] + (group > 0 ? group + 2 : 0), "</th>");
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t row = 0; row < table->row_count; row++) {
        fputs("<tr>", out);
        for (size_t c = 0; c < table->column_count; c++) {
            const page_cell_value *cell = page_cell_at(table, row, c);
            put_element(out,
                        is_number_column(table, c) ? "<td class=\"n\">"
                        : is_sentence(cell)        ? "<td class=\"w\">"
                                                   : "<td>",
                        cell ? cell->text : "", "</td>");
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_plot(const page_item *plot, const char *section, FILE *out)
{
    fputs("<figure id=\"", out);
    put_element(out, "", section, "-");
    put_element(out, "", plot->id, "\"><figcaption>");
    put_element(out, "", plot->text, "</figcaption>\n");
    page_write_svg(plot, out);
    fputs("</figure>\n", out);
}

static void write_picture(const page_item *picture, const char *section, FILE *out)
{
    fputs("<figure class=\"picture\" id=\"", out);
    put_element(out, "", section, "-");
    put_element(out, "", picture->id, "\"><figcaption>");
    put_element(out, "", picture->text, "</figcaption>\n");
    fputs(picture->drawing ? picture->drawing : "", out);
    fputs("</figure>\n", out);
}

static void write_item(const page_item *item, const char *section, FILE *out)
{
    switch (item->kind) {
    case ITEM_WORDS: put_element(out, "<p>", item->text, "</p>\n"); break;
    case ITEM_VERDICT: write_verdict(item, out); break;
    case ITEM_TABLE: write_table(item, section, out); break;
    case ITEM_PLOT:
    case ITEM_BARS: write_plot(item, section, out); break;
    case ITEM_PICTURE: write_picture(item, section, out); break;
    }
}

// Verdicts of one kind as a list: the claim, what was measured, and the rule.
static void write_listed(const page *p, page_judgement judgement, FILE *out)
{
    fputs("<ul class=\"listed\">\n", out);
    for (size_t i = 0; i < p->part_count; i++)
        for (size_t k = 0; k < p->parts[i].count; k++) {
            const page_item *item = &p->parts[i].items[k];
            if (item->kind != ITEM_VERDICT || item->judgement != judgement)
                continue;
            put_element(out, "<li><a href=\"#", p->parts[i].id, "\">");
            put_element(out, "", p->parts[i].id, "</a>: ");
            put_element(out, "<b>", item->claim, ".</b>");
            if (judgement != PAGE_SKIPPED || !item->rule)
                put_element(out, " ", item->text, "");
            if (item->rule)
                put_element(out, judgement == PAGE_SKIPPED ? " <small>" : " <small>Rule: ", item->rule, "");
            if (item->rule && isfinite(item->margin))
                fprintf(out, "; margin %.3g", item->margin);
            fputs(item->rule ? ".</small></li>\n" : "</li>\n", out);
        }
    fputs("</ul>\n", out);
}

// "30 of 34 claims hold", those that do not and why, and, folded, those that could not be judged.
static void write_count(const page *p, FILE *out)
{
    size_t holds = page_verdict_count(p, PAGE_HOLDS), fails = page_verdict_count(p, PAGE_FAILS);
    size_t skipped = page_verdict_count(p, PAGE_SKIPPED);
    if (holds + fails > 0)
        fprintf(out, "<p class=\"count\"><b>%zu of %zu claims hold</b>%s</p>\n", holds, holds + fails,
                fails ? ". These do not:" : ".");
    else
        fputs("<p class=\"count\"><b>No claim could be judged.</b></p>\n", out);
    if (fails)
        write_listed(p, PAGE_FAILS, out);
    if (skipped) {
        fprintf(out, "<details><summary>%zu could not be judged</summary>\n", skipped);
        write_listed(p, PAGE_SKIPPED, out);
        fputs("</details>\n", out);
    }
}

// Writes the headlines, with links to their sections.
static void write_summary(const page *p, FILE *out)
{
    fputs(
        "<div class=\"wide\" tabindex=\"0\"><table id=\"summary\"><caption>Summary</caption><thead><tr>"
        "<th scope=\"col\">section</th><th scope=\"col\">claim</th><th scope=\"col\">verdict</th><th scope=\"col\">by how much</th>"
        "</tr></thead><tbody>\n",
        out);
    for (size_t i = 0; i < p->part_count; i++)
        for (size_t k = 0; k < p->parts[i].count; k++) {
            const page_item *item = &p->parts[i].items[k];
            if (item->kind != ITEM_VERDICT || !item->headline)
                continue;
            put_element(out, "<tr><td><a href=\"#", p->parts[i].id, "\">");
            put_element(out, "", p->parts[i].id, "</a></td><td>");
            put_element(out, "", item->claim, "</td>");
            fprintf(out, "<td><b class=\"%s\">%s</b></td>", judgement_class(item->judgement), page_judgement_word(item->judgement));
            put_element(out, "<td>", item->text, "</td></tr>\n");
        }
    fputs("</tbody></table></div>\n", out);
}

static bool has_headlines(const page *p)
{
    for (size_t i = 0; i < p->part_count; i++)
        for (size_t k = 0; k < p->parts[i].count; k++)
            if (p->parts[i].items[k].kind == ITEM_VERDICT && p->parts[i].items[k].headline)
                return true;
    return false;
}

static void write_head(const page *p, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
          out);
    put_element(out, "<title>", p->title, "</title>\n");
    fprintf(out, "<style>\n%s</style></head>\n<body><header>", style);
    put_element(out, "<h1>", p->title, "</h1>\n");
    fputs("<nav aria-label=\"Contents\"><ul>", out);
    for (size_t i = 0; i < p->part_count; i++) {
        put_element(out, "<li><a href=\"#", p->parts[i].id, "\">");
        put_element(out, "", p->parts[i].title, "</a></li>");
    }
    fputs("</ul></nav></header>\n<main>\n", out);
}

static void write_facts(const page *p, FILE *out)
{
    fputs("<dl>", out);
    for (size_t i = 0; i < p->fact_count; i++) {
        put_element(out, "<dt>", p->facts[i].name, "</dt>");
        put_element(out, "<dd>", p->facts[i].value, "</dd>\n");
    }
    fputs("</dl>\n", out);
}

static void write_items(const page_part *part, bool verdicts, FILE *out)
{
    for (size_t k = 0; k < part->count; k++)
        if ((part->items[k].kind == ITEM_VERDICT) == verdicts)
            write_item(&part->items[k], part->id, out);
}

static bool has_verdicts(const page_part *part)
{
    for (size_t k = 0; k < part->count; k++)
        if (part->items[k].kind == ITEM_VERDICT && part->items[k].rule)
            return true;
    return false;
}

// Verdicts come first, on the page and in each section; the data follows, folded where there are judged claims to read first.
void page_write_html(const page *p, FILE *out)
{
    write_head(p, out);
    if (has_headlines(p)) {
        write_count(p, out);
        write_summary(p, out);
    }
    write_facts(p, out);
    for (size_t i = 0; i < p->part_count; i++) {
        const page_part *part = &p->parts[i];
        put_element(out, "<section id=\"", part->id, "\">");
        put_element(out, "<h2>", part->title, "</h2>\n");
        write_items(part, true, out);
        if (has_verdicts(part))
            fputs("<details><summary>Tables and plots</summary>\n", out);
        write_items(part, false, out);
        if (has_verdicts(part))
            fputs("</details>\n", out);
        fputs("</section>\n", out);
    }
    fputs("</main></body></html>\n", out);
}

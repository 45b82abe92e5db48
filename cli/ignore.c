// Contacts that are left out on purpose.
#define _GNU_SOURCE
#include "ignore.h"

#include "common/system.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char file_head[] = "snag accepted contacts 1";

// ---- names ---------------------------------------------------------------------------------------------------------

// Marks the bodies that a name or a pattern means. Returns how many.
static size_t mark(const scene *s, const char *name, size_t length, bool *marks)
{
    char pattern[512];
    size_t found = 0;
    if (length >= sizeof pattern)
        return 0;
    memcpy(pattern, name, length);
    pattern[length] = 0;
    for (size_t i = 0; i < s->body_count; i++)
        if (strcmp(s->bodies[i].name, pattern) == 0 || sys_matches(pattern, s->bodies[i].name)) {
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
            marks[i] = true;
            found++;
        }
    return found;
}

static int no_such_body(const scene *s, const char *name_of_option, const char *name, words *w)
{
    const char *names[64];
    size_t count = s->body_count < 64 ? s->body_count : 64;
    for (size_t i = 0; i < count; i++)
        names[i] = s->bodies[i].name;
    const char *nearest = words_nearest(name, names, count);
    if (nearest)
        return words_error(w, "--%s: there is no body '%s'; did you mean '%s'?", name_of_option, name, nearest);
    return words_error(w, "--%s: there is no body '%s'; the bodies are listed by `snag info`, the first is '%s'", name_of_option,
                       name, s->bodies[0].name);
}

// The length of the first name of a comma-separated list: up to the comma that makes it the name of a body, since names may have commas.
static size_t first_name(const scene *s, const char *text, bool *marks)
{
    const char *end = text + strlen(text);
    for (const char *at = text; at <= end; at++)
        if ((*at == ',' || *at == 0) && mark(s, text, (size_t)(at - text), marks))
            return (size_t)(at - text);
    const char *comma = strchr(text, ',');
    return comma ? (size_t)(comma - text) : (size_t)(end - text);
}

int ignore_mark_bodies(const scene *s, const char *name_of_option, const char *list, bool *marks, words *w)
{
    bool *own = calloc(s->body_count + 1, sizeof *own);
    int result = own ? EXIT_CLEAN : words_out_of_memory(w);
    for (const char *at = list; result == EXIT_CLEAN && *at;) {
        char name[512];
        size_t length = first_name(s, at, marks);
        snprintf(name, sizeof name, "%.*s", (int)(length < 500 ? length : 500), at);
        if (!mark(s, at, length, own))
            result = no_such_body(s, name_of_option, name, w);
        at += length + (at[length] == ',');
    }
    free(own);
    if (result == EXIT_CLEAN && !list[0])
        result = words_error(w, "--%s: give the names of bodies, separated by commas", name_of_option);
    return result;
}

static int read_only(ignore_list *list, words *w)
{
    list->wanted = calloc(list->scene->body_count + 1, sizeof *list->wanted);
    return list->wanted ? ignore_mark_bodies(list->scene, "only", list->o->only, list->wanted, w) : words_out_of_memory(w);
}

// The two sides of "A,B", by body.
static int read_two(ignore_list *list, const char *name_of_option, const char *text, bool *sides[2], words *w)
{
    for (int i = 0; i < 2; i++)
        if (!(sides[i] = calloc(list->scene->body_count + 1, sizeof *sides[i])))
            return words_out_of_memory(w);
    size_t length = first_name(list->scene, text, sides[0]);
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)(length < 500 ? length : 500), text);
    if (text[length] != ',')
        return words_error(w, "--%s: give two bodies, such as --%s cloth,body; '%s' is only one", name_of_option, name_of_option,
                           text);
    if (!mark(list->scene, text, length, sides[0]))
        return no_such_body(list->scene, name_of_option, name, w);
    if (!mark(list->scene, text + length + 1, strlen(text + length + 1), sides[1]))
        return no_such_body(list->scene, name_of_option, text + length + 1, w);
    return EXIT_CLEAN;
}

static int read_no_contact(ignore_list *list, words *w)
{
    const text_list *given = &list->o->no_contact;
    list->apart = calloc(given->count + 1, sizeof *list->apart);
    if (!list->apart)
        return words_out_of_memory(w);
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < given->count && result == EXIT_CLEAN; i++) {
        list->apart_count = i + 1;
        result = read_two(list, "no-contact", given->items[i], list->apart[i], w);
    }
    return result;
}

bool ignore_wants(const ignore_list *list, size_t a, size_t b)
{
    if (list->wanted && !(list->wanted[a] && list->wanted[b]))
        return false;
    for (size_t i = 0; i < list->apart_count; i++)
        if ((list->apart[i][0][a] && list->apart[i][1][b]) || (list->apart[i][0][b] && list->apart[i][1][a]))
            return false;
    if (!list->side[0])
        return true;
    return (list->side[0][a] && list->side[1][b]) || (list->side[0][b] && list->side[1][a]);
}

// ---- pairs of vertices ---------------------------------------------------------------------------------------------

static size_t slot_of(const ignore_list *list, uint64_t key)
{
    size_t mask = list->slot_count - 1, at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & mask;
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the larger table replaced it
    while (list->slots[at] && list->slots[at] != key + 1)
        at = (at + 1) & mask;
    return at;
}

static bool has(const ignore_list *list, uint64_t key)
{
    return list->used && list->slots[slot_of(list, key)] != 0;
}

static bool add(ignore_list *list, uint64_t key)
{
    if (2 * (list->used + 1) > list->slot_count) {
        ignore_list larger = *list;
        larger.slot_count = list->slot_count ? 2 * list->slot_count : 256;
        larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
        if (!larger.slots)
            return false;
        for (size_t i = 0; i < list->slot_count; i++)
            if (list->slots[i])
                larger.slots[slot_of(&larger, list->slots[i] - 1)] = list->slots[i];
        free(list->slots);
        *list = larger;
    }
    size_t at = slot_of(list, key);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the larger table replaced it
    list->used += list->slots[at] == 0;
    list->slots[at] = key + 1;
    return true;
}

static uint64_t key_of(const ignore_list *list, size_t body_a, uint32_t a, size_t body_b, uint32_t b)
{
    uint64_t x = list->first_vertex[body_a] + a, y = list->first_vertex[body_b] + b;
    return x < y ? x << 32 | y : y << 32 | x;
}

static uint32_t vertices_of(const snag_body_info *info, const snag_element *element, uint32_t vertices[4])
{
    const uint32_t *from = &element->index;
    uint32_t count = 1;
    switch (element->kind) {
    case SNAG_EDGE:
        from = element->vertex;
        count = 2;
        break;
    case SNAG_TRIANGLE:
        from = info->triangles + 3 * (size_t)element->index;
        count = 3;
        break;
    case SNAG_TET:
        from = info->tets + 4 * (size_t)element->index;
        count = 4;
        break;
    default: break;
    }
    memcpy(vertices, from, count * sizeof *vertices);
    return count;
}

// Calls for each pair of vertices of a contact; stops when the call returns `until`, and returns that.
static bool each_pair(ignore_list *list, size_t body_a, const uint32_t *a, uint32_t na, size_t body_b, const uint32_t *b,
                      uint32_t nb, bool adding)
{
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = 0; j < nb; j++) {
            uint64_t key = key_of(list, body_a, a[i], body_b, b[j]);
            if (adding ? !add(list, key) : has(list, key))
                return !adding;
        }
    return adding;
}

// Accepts a contact (adding), or tells whether it is accepted.
static bool visit(ignore_list *list, size_t body_a, size_t body_b, const snag_contact *contact, bool adding)
{
    uint32_t a[4], b[4];
    uint32_t na = vertices_of(&list->scene->bodies[body_a].info, &contact->a, a);
    uint32_t nb = vertices_of(&list->scene->bodies[body_b].info, &contact->b, b);
    return each_pair(list, body_a, a, na, body_b, b, nb, adding);
}

// ---- the file ------------------------------------------------------------------------------------------------------

static void put_vertices(FILE *out, size_t body, const uint32_t *vertices, uint32_t count)
{
    fprintf(out, " %zu:", body);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%u", i ? "," : "", vertices[i]);
}

static void put_accepted(ignore_list *list, size_t body_a, size_t body_b, const snag_contact *contact)
{
    uint32_t a[4], b[4];
    uint32_t na = vertices_of(&list->scene->bodies[body_a].info, &contact->a, a);
    uint32_t nb = vertices_of(&list->scene->bodies[body_b].info, &contact->b, b);
    fputs("contact", list->accepting);
    put_vertices(list->accepting, body_a, a, na);
    put_vertices(list->accepting, body_b, b, nb);
    fputc('\n', list->accepting);
    list->accepted_count++;
}

// A name on one line: control characters and % as %0A.
static void put_name(FILE *out, const char *name)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (*at < 0x20 || *at == '%' || *at == 0x7F)
            fprintf(out, "%%%02X", *at);
        else
            fputc(*at, out);
}

static void take_name(char *name)
{
    char *to = name;
    for (const char *at = name; *at; at++) {
        unsigned value;
        // NOLINTNEXTLINE(cert-err34-c): the number of fields read is checked
        if (*at == '%' && sscanf(at + 1, "%2X", &value) == 1) {
            *to++ = (char)value;
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = 0;
}

typedef struct accepted_file {
    ignore_list *list;
    const char *path;
    words *w;
    size_t *bodies;  // from a number in the file to a body of the scene
    size_t body_count;
    size_t line;
} accepted_file;

static int spoilt(const accepted_file *f)
{
    return words_error(f->w, "--ignore %s: line %zu is not of a list written by --accept", f->path, f->line);
}

static int read_body(accepted_file *f, char *text)
{
    const scene *s = f->list->scene;
    size_t vertices, triangles, tets;
    int used = 0;
    // NOLINTNEXTLINE(cert-err34-c): the number of fields read is checked
    if (sscanf(text, "body %zu %zu %zu %n", &vertices, &triangles, &tets, &used) != 3 || !used)
        return spoilt(f);
    take_name(text + used);
    for (size_t i = 0; i < s->body_count; i++) {
        const snag_body_info *info = &s->bodies[i].info;
        if (strcmp(s->bodies[i].name, text + used) != 0)
            continue;
        if (info->vertex_count != vertices || info->triangle_count != triangles || info->tet_count != tets)
            return words_error(
                f->w,
                "--ignore %s: the list is of another mesh: its body '%s' has %zu vertices and %zu triangles, here it "
                "has %zu and %zu; write a new one with --accept",
                f->path, s->bodies[i].name, vertices, triangles, info->vertex_count, info->triangle_count);
        f->bodies[f->body_count++] = i;
        return EXIT_CLEAN;
    }
    return words_error(f->w, "--ignore %s: the list is of another mesh: it has a body '%s', which is not here", f->path,
                       text + used);
}

// " 0:12,13,14"
static bool read_side(const accepted_file *f, char **text, size_t *body, uint32_t vertices[4], uint32_t *count)
{
    char *at = *text, *end;
    errno = 0;
    unsigned long number = strtoul(at, &end, 10);
    if (end == at || *end != ':' || number >= f->body_count)
        return false;
    *body = f->bodies[number];
    for (*count = 0, at = end; *count < 4 && (*at == ':' || *at == ','); at = end) {
        unsigned long vertex = strtoul(at + 1, &end, 10);
        if (end == at + 1 || vertex >= f->list->scene->bodies[*body].info.vertex_count)
            return false;
        vertices[(*count)++] = (uint32_t)vertex;
    }
    *text = at;
    return *count > 0 && (*at == ' ' || *at == 0 || *at == '\n' || *at == '\r');
}

static int read_contact(accepted_file *f, char *text)
{
    uint32_t a[4], b[4], na, nb;
    size_t body_a, body_b;
    if (!read_side(f, &text, &body_a, a, &na) || !read_side(f, &text, &body_b, b, &nb))
        return spoilt(f);
    return each_pair(f->list, body_a, a, na, body_b, b, nb, true) ? EXIT_CLEAN : words_out_of_memory(f->w);
}

static int read_lines(accepted_file *f, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    int result = EXIT_CLEAN;
    size_t most = f->list->scene->body_count;
    for (ssize_t length; result == EXIT_CLEAN && (length = sys_getline(&line, &size, in)) >= 0;) {
        f->line++;
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = 0;
        if (f->line == 1)
            result = strcmp(line, file_head) == 0 ? EXIT_CLEAN : spoilt(f);
        else if (strncmp(line, "body ", 5) == 0 && f->body_count < most)
            result = read_body(f, line);
        else if (strncmp(line, "body ", 5) == 0)
            result =
                words_error(f->w, "--ignore %s: the list is of another scene: it has more than the %zu bodies here", f->path, most);
        else if (strncmp(line, "contact ", 8) == 0)
            result = read_contact(f, line + 8);
        else if (length > 0 && line[0] != '#')
            result = spoilt(f);
    }
    if (result == EXIT_CLEAN && f->line == 0)
        result = words_error(f->w, "--ignore %s: the file is empty; --accept writes such lists", f->path);
    free(line);
    return result;
}

static int read_file(ignore_list *list, const char *path, words *w)
{
    accepted_file f = {.list = list, .path = path, .w = w};
    FILE *in = sys_fopen(path, "r");
    if (!in)
        return words_error(w, "--ignore %s: %s", path, strerror(errno));
    f.bodies = calloc(list->scene->body_count + 1, sizeof *f.bodies);
    int result = f.bodies ? read_lines(&f, in) : words_out_of_memory(w);
    free(f.bodies);
    fclose(in);
    return result;
}

// ---- begin and end -------------------------------------------------------------------------------------------------

static bool number_vertices(ignore_list *list)
{
    uint64_t next = 0;
    free(list->first_vertex);
    list->first_vertex = calloc(list->scene->body_count + 1, sizeof *list->first_vertex);
    for (size_t i = 0; list->first_vertex && i < list->scene->body_count; i++) {
        list->first_vertex[i] = next;
        next += list->scene->bodies[i].info.vertex_count;
    }
    return list->first_vertex != NULL;
}

static int begin_accept(ignore_list *list, words *w)
{
    if (scene_reads(list->scene, list->o->accept))
        return words_error(w, "--accept %s: this would overwrite an input; choose another name", list->o->accept);
    if (snag_io_is_mesh(list->o->accept))
        return words_error(w, "--accept %s: the output is a list, not a mesh; give a name such as accepted.txt", list->o->accept);
    list->accepting = sys_memory_stream(&list->accepted, &list->accepted_size);
    if (!list->accepting)
        return words_out_of_memory(w);
    fprintf(list->accepting, "%s\n# contacts that are accepted, by the vertices of their elements: snag check --ignore FILE\n",
            file_head);
    for (size_t i = 0; i < list->scene->body_count; i++) {
        const snag_body_info *info = &list->scene->bodies[i].info;
        fprintf(list->accepting, "body %zu %zu %zu ", info->vertex_count, info->triangle_count, info->tet_count);
        put_name(list->accepting, list->scene->bodies[i].name);
        fputc('\n', list->accepting);
    }
    return EXIT_CLEAN;
}

int ignore_begin(ignore_list *list, const options *o, const scene *s, words *w)
{
    *list = (ignore_list){.o = o, .scene = s, .initial = o->ignore_initial && !o->rest};
    bool lists = o->ignore_initial || o->ignore || o->accept;
    if (lists && scene_is_on_disk(s))
        return words_error(w,
                           "--ignore-initial, --ignore and --accept need all triangles in memory, but a .snag file stays on disk");
    if (o->rest && !o->ignore_initial)
        return words_error(w, "--rest names the pose for --ignore-initial; give both");
    if (!number_vertices(list))
        return words_out_of_memory(w);
    int result = o->only ? read_only(list, w) : EXIT_CLEAN;
    if (result == EXIT_CLEAN && o->between_names)
        result = read_two(list, "between", o->between_names, list->side, w);
    if (result == EXIT_CLEAN && o->no_contact.count)
        result = read_no_contact(list, w);
    if (result == EXIT_CLEAN && o->ignore)
        result = read_file(list, o->ignore, w);
    if (result == EXIT_CLEAN && o->accept)
        result = begin_accept(list, w);
    return result;
}

int ignore_end(ignore_list *list, words *w)
{
    snag_io_file *file;
    snag_io_error error;
    if (!list->accepting)
        return EXIT_CLEAN;
    bool written = fclose(list->accepting) == 0;
    list->accepting = NULL;
    if (!written)
        return words_out_of_memory(w);
    if (snag_io_file_create(list->o->accept, &file, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    snag_status status = snag_io_file_write(file, list->accepted, list->accepted_size, &error);
    snag_io_error close_error;
    if (snag_io_file_close(file, status == SNAG_OK, &close_error) != SNAG_OK && status == SNAG_OK) {
        status = close_error.status;
        error = close_error;
    }
    if (status != SNAG_OK)
        return words_error(w, "%s", error.message);
    words_note(w, "accepted %zu contact%s: --ignore %s leaves them out", list->accepted_count, list->accepted_count == 1 ? "" : "s",
               list->o->accept);
    return EXIT_CLEAN;
}

int ignore_renew(ignore_list *list, words *w)
{
    free(list->slots);
    list->slots = NULL;
    list->slot_count = list->used = 0;
    if (!number_vertices(list))
        return words_out_of_memory(w);
    list->initial = list->initial && !list->begun;
    list->others = list->begun;
    if (list->begun || !list->accepting)
        return EXIT_CLEAN;
    // Nothing was accepted yet: the list is of these bodies.
    fclose(list->accepting);
    list->accepting = NULL;
    free(list->accepted);
    list->accepted = NULL;
    return begin_accept(list, w);
}

void ignore_free(ignore_list *list)
{
    if (list->accepting)
        fclose(list->accepting);
    for (size_t i = 0; i < list->apart_count; i++)
        for (int side = 0; side < 2; side++)
            free(list->apart[i][side]);
    free(list->apart);
    void *const arrays[] = {list->wanted, list->side[0],  list->side[1], list->first_vertex,
                            list->slots,  list->contacts, list->left,    list->accepted};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    *list = (ignore_list){0};
}

// ---- answers -------------------------------------------------------------------------------------------------------

static bool is_idle(const ignore_list *list)
{
    return !list->wanted && !list->side[0] && !list->apart_count && !list->used && !list->initial && !list->accepting;
}

static bool is_left_out(ignore_list *list, size_t a, size_t b, const snag_contact *contact)
{
    if (!ignore_wants(list, a, b))
        return true;
    if (list->used && visit(list, a, b, contact, false)) {
        list->left[list->left_count++] = *contact;
        return true;
    }
    return false;
}

// Accepts all contacts of an answer that are wanted.
static bool accept_all(ignore_list *list, const uint32_t *index, const snag_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *contact = &answer->contacts[i];
        size_t a = index[contact->body_a.index], b = index[contact->body_b.index];
        if (ignore_wants(list, a, b) && !visit(list, a, b, contact, true))
            return false;
    }
    return true;
}

int ignore_apply(ignore_list *list, const uint32_t *index, const snag_answer **answer, words *w)
{
    const snag_answer *all = *answer;
    list->left_count = 0;
    if (is_idle(list))
        return EXIT_CLEAN;
    if (list->initial && !accept_all(list, index, all))
        return words_out_of_memory(w);
    list->initial = false;
    if (!words_grow((void **)&list->contacts, &list->capacity, all->count, sizeof *list->contacts) ||
        !words_grow((void **)&list->left, &list->left_capacity, list->used ? all->count : 0, sizeof *list->left))
        return words_out_of_memory(w);
    size_t kept = 0;
    double earliest = 1;
    for (size_t i = 0; i < all->count; i++) {
        const snag_contact *contact = &all->contacts[i];
        size_t a = index[contact->body_a.index], b = index[contact->body_b.index];
        // What is accepted already stays so: a list can be written anew while it is read.
        if (list->accepting && !list->others && ignore_wants(list, a, b))
            put_accepted(list, a, b, contact);
        if (is_left_out(list, a, b, contact))
            continue;
        earliest = contact->t < earliest ? contact->t : earliest;
        list->contacts[kept++] = *contact;
    }
    list->answer = *all;
    list->answer.contacts = list->contacts;
    list->answer.count = kept;
    if (all->question == SNAG_IMPACTS)
        list->answer.earliest = earliest;
    *answer = &list->answer;
    return EXIT_CLEAN;
}

bool ignore_count(ignore_list *list, contact_list *contacts)
{
    if (list->left_count == 0)
        return true;
    snag_answer left = list->answer;
    left.contacts = list->left;
    left.count = list->left_count;
    bool filled = contacts_fill(contacts, &left);
    list->ignored += contacts->count;
    return filled;
}

// ---- poses --------------------------------------------------------------------------------------------------------

// Accepts what meets while the bodies of a world rest. Moves are looked at for impacts; what crosses before them has none there.
static int accept_pose(ignore_list *list, snag_world *world, const uint32_t *index, const any_question *question, words *w)
{
    any_question asked[2] = {*question, any_default(SNAG_INTERSECTIONS)};
    int count = question->question == SNAG_IMPACTS ? 2 : 1;
    asked[1].self = question->self;
    asked[1].between = question->between;
    asked[1].exclude_rings = question->exclude_rings;
    asked[1].exclude_rest = question->exclude_rest;
    asked[0].filter = NULL;
    asked[0].progress = NULL;
    for (int i = 0; i < count; i++) {
        const snag_answer *answer = NULL;
        if (any_ask(world, &asked[i], &answer) != SNAG_OK)
            return words_error(w, "--ignore-initial: %s", snag_world_message(world));
        if (!accept_all(list, index, answer))
            return words_out_of_memory(w);
    }
    return EXIT_CLEAN;
}

int ignore_first(ignore_list *list, snag_world *world, const uint32_t *index, const any_question *question, words *w)
{
    list->begun = true;
    if (!list->initial || question->question != SNAG_IMPACTS)
        return EXIT_CLEAN;
    list->initial = false;
    return accept_pose(list, world, index, question, w);
}

static int compare_bodies(const ignore_list *list, const scene *rest, words *w)
{
    const char *path = list->o->rest;
    if (rest->body_count != list->scene->body_count)
        return words_error(w, "--rest %s: it has %zu bodies, the scene has %zu; give the same meshes in another pose", path,
                           rest->body_count, list->scene->body_count);
    for (size_t i = 0; i < rest->body_count; i++)
        if (rest->bodies[i].info.vertex_count != list->scene->bodies[i].info.vertex_count ||
            rest->bodies[i].info.triangle_count != list->scene->bodies[i].info.triangle_count)
            return words_error(w, "--rest %s: its body '%s' is not the mesh of '%s': %zu and %zu vertices", path,
                               rest->bodies[i].name, list->scene->bodies[i].name, rest->bodies[i].info.vertex_count,
                               list->scene->bodies[i].info.vertex_count);
    return EXIT_CLEAN;
}

int ignore_rest(ignore_list *list, const any_question *question, words *w)
{
    if (!list->o->rest)
        return EXIT_CLEAN;
    options o = *list->o;
    const char *path = list->o->rest;
    o.inputs = (text_list){&path, 1, 1};
    o.caches = (text_list){0};
    o.sequence = false;
    scene rest;
    snag_world *world = NULL;
    contact_list contacts = {0};
    int result = scene_open(&o, false, w, &rest);
    if (result == EXIT_CLEAN)
        result = scene_create_world(&o, &world, w);
    if (result == EXIT_CLEAN)
        result = scene_add(&rest, &o, world, w);
    if (result == EXIT_CLEAN)
        result = compare_bodies(list, &rest, w);
    if (result == EXIT_CLEAN && (!contacts_begin_scene(&contacts, &rest) || !contacts_index(&contacts)))
        result = words_out_of_memory(w);
    if (result == EXIT_CLEAN)
        result = accept_pose(list, world, contacts.body_of_index, question, w);
    contacts_free(&contacts);
    snag_world_destroy(world);
    scene_close(&rest);
    return result;
}

// --select: a Python script that selects the elements in contact in Blender, place by place.
// Faces are numbered within their object, as Blender numbers them once it has read the file; the numbers of the file are of no use there.
#define _POSIX_C_SOURCE 200809L
#include "sink.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

// An element of a place, once for all frames.
typedef struct selected {
    uint64_t place;
    uint32_t body;
    uint32_t kind;  // snag_element_kind: faces and vertices only
    uint32_t number;
} selected;

typedef struct select_sink {
    sink sink;
    const sink_scene *scene;
    snag_io_file *file;
    selected *items;
    size_t count, capacity, sorted;
} select_sink;

static int begin(sink *s, const sink_scene *about)
{
    ((select_sink *)s)->scene = about;
    return EXIT_CLEAN;
}

static int compare(const void *a, const void *b)
{
    const selected *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void drop_doubles(select_sink *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, compare);
    for (size_t i = 0; i < s->count; i++)
        if (kept == 0 || compare(&s->items[kept - 1], &s->items[i]) != 0)
            s->items[kept++] = s->items[i];
    s->count = s->sorted = kept;
}

static bool add(select_sink *s, uint64_t place, uint32_t body, snag_element_kind kind, uint32_t number)
{
    // The same elements come in every frame: sort them out before the list doubles.
    if (s->count == s->capacity && s->count > 2 * s->sorted)
        drop_doubles(s);
    if (!words_grow((void **)&s->items, &s->capacity, s->count + 1, sizeof *s->items))
        return false;
    s->items[s->count++] = (selected){place, body, (uint32_t)kind, number};
    return true;
}

static bool add_element(select_sink *s, uint64_t place, uint32_t body, const snag_element *element, const contact_element *object)
{
    const snag_body_info *info = &s->scene->bodies[body].info;
    switch (element->kind) {
    case SNAG_VERTEX: return add(s, place, body, SNAG_VERTEX, object->number[0]);
    case SNAG_EDGE:
        return add(s, place, body, SNAG_VERTEX, object->number[0]) && add(s, place, body, SNAG_VERTEX, object->number[1]);
    case SNAG_TRIANGLE: return add(s, place, body, SNAG_TRIANGLE, object->number[0]);
    case SNAG_TET:
        for (int i = 0; i < 4; i++)
            if (!add(s, place, body, SNAG_VERTEX, info->tets[4 * (size_t)element->index + i]))
                return false;
        return true;
    case SNAG_LEAF: return true;
    }
    return true;
}

static int take_frame(sink *base, const sink_frame *frame)
{
    select_sink *s = (select_sink *)base;
    for (size_t i = 0; i < frame->contacts->count; i++) {
        const contact_line *line = &frame->contacts->lines[i];
        const snag_contact *c = line->contact;
        if (!add_element(s, line->place, line->body_a, line->swapped ? &c->b : &c->a, &line->object_a) ||
            !add_element(s, line->place, line->body_b, line->swapped ? &c->a : &c->b, &line->object_b))
            return words_out_of_memory(base->w);
    }
    return EXIT_CLEAN;
}

// ---- the script ----------------------------------------------------------------------------------------------------

// A string literal: whatever a name holds, it stays a name.
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        uint32_t code;
        size_t length = snag_io_utf8(text, &code);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code < 0x20 || code == 0x7F || words_misleads(code))
            fprintf(out, code > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

static void put_numbers(const select_sink *s, FILE *out, uint64_t place, uint32_t body, snag_element_kind kind)
{
    const char *comma = "";
    const selected first = {place, body, (uint32_t)kind, 0}, last = {place, body, (uint32_t)kind, UINT32_MAX};
    size_t from = 0, to = s->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare(&s->items[middle], &first) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    fputc('[', out);
    for (; from < s->count && compare(&s->items[from], &last) <= 0; from++) {
        fprintf(out, "%s%u", comma, s->items[from].number);
        comma = ", ";
    }
    fputc(']', out);
}

static void put_place(const select_sink *s, FILE *out, const place_record *place)
{
    const uint32_t bodies[2] = {place->body_a, place->body_b};
    fprintf(out, "    {\"place\": %llu, \"frame\": %zu, \"centre\": (%.9g, %.9g, %.9g), \"objects\": {",
            (unsigned long long)place->id, place->worst, place->centre[0], place->centre[1], place->centre[2]);
    for (int i = 0; i < (bodies[0] == bodies[1] ? 1 : 2); i++) {
        fputs(i ? ", " : "", out);
        put_text(out, s->scene->bodies[bodies[i]].name);
        fputs(": {\"faces\": ", out);
        put_numbers(s, out, place->id, bodies[i], SNAG_TRIANGLE);
        fputs(", \"vertices\": ", out);
        put_numbers(s, out, place->id, bodies[i], SNAG_VERTEX);
        fputc('}', out);
    }
    fputs("}},\n", out);
}

static const char head[] =
    "# Selects in Blender what snag found in contact. Run it there (Scripting, Open, Run Script), or: blender scene.blend --python "
    "THIS\n"
    "# It deselects all else, selects faces and vertices of the places below, and keeps each place as a vertex group \"snag 1\".\n"
    "# Call select(2) for the second place alone. Places are sorted, the worst first; numbers are those within the object.\n"
    "PLACES = [\n";
static const char tail[] =
    "]\n"
    "\n"
    "\n"
    "def find(bpy, name):\n"
    "    \"\"\"The mesh object of a name: Blender may have added .001, or cut the name to 63 bytes.\"\"\"\n"
    "    meshes = [o for o in bpy.data.objects if o.type == \"MESH\"]\n"
    "    for fits in (lambda o: o.name == name, lambda o: o.data.name == name, lambda o: o.name.split(\".\")[0] == name,\n"
    "                 lambda o: o.name == name.encode()[:63].decode(errors=\"ignore\")):\n"
    "        found = [o for o in meshes if fits(o)]\n"
    "        if found:\n"
    "            return found[0]\n"
    "    names = {name for place in PLACES for name in place[\"objects\"]}\n"
    "    return meshes[0] if len(meshes) == 1 and len(names) == 1 else None\n"
    "\n"
    "\n"
    "def select(only=None):\n"
    "    import bpy\n"
    "    if bpy.context.object and bpy.context.object.mode != \"OBJECT\":\n"
    "        bpy.ops.object.mode_set(mode=\"OBJECT\")\n"
    "    for o in bpy.data.objects:\n"
    "        if o.type == \"MESH\":\n"
    "            for items in (o.data.polygons, o.data.edges, o.data.vertices):\n"
    "                items.foreach_set(\"select\", [False] * len(items))\n"
    "    missing = set()\n"
    "    for number, place in enumerate(PLACES, 1):\n"
    "        if only is not None and number != only:\n"
    "            continue\n"
    "        for name, parts in place[\"objects\"].items():\n"
    "            o = find(bpy, name)\n"
    "            mesh = o.data if o else None\n"
    "            if o is None or max(parts[\"faces\"], default=-1) >= len(mesh.polygons) or \\\n"
    "                    max(parts[\"vertices\"], default=-1) >= len(mesh.vertices):\n"
    "                missing.add(name)\n"
    "                continue\n"
    "            vertices = set(parts[\"vertices\"])\n"
    "            for f in parts[\"faces\"]:\n"
    "                mesh.polygons[f].select = True\n"
    "                vertices.update(mesh.polygons[f].vertices)\n"
    "            for v in vertices:\n"
    "                mesh.vertices[v].select = True\n"
    "            group = o.vertex_groups.get(f\"snag {number}\") or o.vertex_groups.new(name=f\"snag {number}\")\n"
    "            group.add(sorted(vertices), 1.0, \"REPLACE\")\n"
    "            o.select_set(True)\n"
    "            bpy.context.view_layer.objects.active = o\n"
    "    for name in sorted(missing):\n"
    "        print(f\"snag: there is no mesh object {name!r} with these faces; is this the scene that was checked?\")\n"
    "    if PLACES and only is not None and 0 < only <= len(PLACES):\n"
    "        bpy.context.scene.frame_set(bpy.context.scene.frame_start + PLACES[only - 1][\"frame\"])\n"
    "    return sorted(missing)\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    select()\n";

static int end(sink *base, const sink_summary *summary)
{
    select_sink *s = (select_sink *)base;
    char *text = NULL;
    size_t size = 0;
    FILE *out = sys_memory_stream(&text, &size);
    snag_io_error error;
    if (!out)
        return words_out_of_memory(base->w);
    drop_doubles(s);
    fputs(head, out);
    for (size_t i = 0; i < summary->book->count; i++)
        put_place(s, out, &summary->book->places[i]);
    fputs(tail, out);
    int result = fclose(out) == 0 ? EXIT_CLEAN : words_out_of_memory(base->w);
    snag_io_file *file = s->file;
    s->file = NULL;
    if (result == EXIT_CLEAN && snag_io_file_write(file, text, size, &error) != SNAG_OK)
        result = words_error(base->w, "%s", error.message);
    if (snag_io_file_close(file, result == EXIT_CLEAN, &error) != SNAG_OK && result == EXIT_CLEAN)
        result = words_error(base->w, "%s", error.message);
    free(text);
    return result;
}

static void free_sink(sink *base)
{
    select_sink *s = (select_sink *)base;
    if (s->file)
        snag_io_file_close(s->file, false, NULL);
    free(s->items);
    free(s);
}

int sink_select_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = take_frame, .end = end, .free = free_sink};
    size_t length = strlen(path);
    snag_io_error error;
    if (length < 4 || strcmp(path + length - 3, ".py") != 0)
        return words_error(w, "--select %s: the output is a Python script; give a name that ends in .py", path);
    select_sink *s = calloc(1, sizeof *s);
    if (!s)
        return words_out_of_memory(w);
    s->sink = (sink){&type, o, w};
    if (snag_io_file_create(path, &s->file, &error) != SNAG_OK) {
        free(s);
        return words_error(w, "%s", error.message);
    }
    *made = &s->sink;
    return EXIT_CLEAN;
}

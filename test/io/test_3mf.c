// 3MF: the meshes that the build shows, where its transforms put them, under the numbers of the file; and that no archive, sound or
// not, does harm.
#define _GNU_SOURCE 1  // memmem
#include "reading.h"

#include "helpers/zip_writer.h"

#define CORE "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
#define MODEL(inside) "<?xml version=\"1.0\"?>\n<model unit=\"millimeter\" xmlns=\"" CORE "\">\n" inside "</model>"
#define BUILD(items) "<build>" items "</build>"
#define VERTICES                                                                                                                   \
    "<vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"2\" z=\"0\"/>"                \
    "<vertex x=\"0\" y=\"0\" z=\"3\"/><vertex x=\"1\" y=\"0\" z=\"0\"/></vertices>"
#define TRIANGLES                                                                                                                  \
    "<triangles><triangle v1=\"3\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"2\" v3=\"1\"/>"                                      \
    "<triangle v1=\"0\" v2=\"4\" v3=\"3\"/><triangle v1=\"0\" v2=\"3\" v3=\"2\"/></triangles>"
// A tetrahedron whose vertices 1 and 4 are at one place, which stay two.
#define TENT(attributes) "<object " attributes "><mesh>" VERTICES TRIANGLES "</mesh></object>\n"

static const char types[] =
    "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default "
    "Extension=\"rels\" "
    "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"model\" "
    "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>";
static const char relations[] =
    "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
    "Target=\"/3D/some.model\" Id=\"rel0\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";

static uint8_t archive[1 << 17];

// An archive of a root and another part ("" or a model), of a form.
static size_t make(const char *model, const char *other, zip_form form)
{
    const zip_file files[] = {{"[Content_Types].xml", types, sizeof types - 1},
                              {"_rels/.rels", relations, sizeof relations - 1},
                              {"3D/some.model", model, strlen(model)},
                              {"3D/Objects/other.model", other, strlen(other)}};
    return write_zip(archive, sizeof archive, files, 4, form);
}

static snag_io_mesh read_model(const char *model)
{
    return read_ok("x.3mf", archive, make(model, "", ZIP_DEFLATED));
}

static void assert_model_refused(const char *model, snag_status status, const char *words)
{
    assert_refused("x.3mf", archive, make(model, "", ZIP_DEFLATED), status, words);
}

static const char tent[] = MODEL("<resources>" TENT("id=\"1\" name=\"tent\"") "</resources>" BUILD("<item objectid=\"1\"/>"));

static void assert_tent(const snag_io_body *body, double x, double y, double z)
{
    assert_int_equal(body->vertex_count, 5);
    assert_int_equal(body->polygon_count, 4);
    assert_polygon(body, 0, 3, 2, 1);
    assert_polygon(body, 2, 0, 4, 3);
    assert_vertex(body, 0, x, y, z);
    assert_vertex(body, 2, x, y + 2, z);
    assert_vertex(body, 3, x, y, z + 3);
}

// ---- what is read ----

static void every_form_of_an_archive_gives_the_same_mesh(void **state)
{
    (void)state;
    for (zip_form form = 0; form < ZIP_FORM_COUNT; form++) {
        snag_io_mesh mesh = read_ok("x.3mf", archive, make(tent, "", form));
        assert_tent(only_body(&mesh), 0, 0, 0);
        assert_string_equal(mesh.bodies[0].name, "tent");
        assert_true(mesh.metres == 1e-3);
        snag_io_mesh_free(&mesh);
    }
    // With a comment behind it that looks like an end record, and without relationships.
    size_t size = make(tent, "", ZIP_STORED);
    archive[size - 2] = 26;
    memcpy(archive + size, "PK\5\6 of a comment, or so..", 26);
    snag_io_mesh mesh = read_ok("x.3mf", archive, size + 26);
    assert_tent(only_body(&mesh), 0, 0, 0);
    snag_io_mesh_free(&mesh);
    const zip_file plain[] = {{"3d/3DModel.model", tent, sizeof tent - 1}, {"[Content_Types].xml", types, sizeof types - 1}};
    mesh = read_ok("x.3mf", archive, write_zip(archive, sizeof archive, plain, 2, ZIP_DEFLATED));
    assert_tent(only_body(&mesh), 0, 0, 0);
    snag_io_mesh_free(&mesh);
}

// An assembly of two tents of which one is turned about z by a quarter, shown twice; and a tent by itself, mirrored.
static void components_are_where_their_transforms_put_them(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_model(MODEL("<resources>" TENT("id=\"7\" name=\"a &lt;tent&gt; &#233;\"") TENT(
        "id=\"2\"") "<object id=\"9\" name=\"camp\"><components><component objectid=\"7\" transform=\"0 1 0 -1 0 0 0 0 1 10 0 0\"/>"
                    "<component objectid=\"2\" transform=\"1 0 0 0 1 0 0 0 1 0 20 "
                    "0\"></component></components></object></resources>" BUILD(
                        "<item objectid=\"9\"/><item objectid=\"9\" transform=\"2 0 0 0 2 0 0 0 2 0 0 100\"/>"
                        "<item objectid=\"2\" transform=\" -1 0 0  0 1 0\n0 0 1 0 0 0 \" />")));
    static const char *const names[] = {"a <tent> é", "camp", "a <tent> é", "camp", "x"};
    assert_int_equal(mesh.body_count, 5);
    for (size_t b = 0; b < 5; b++)
        assert_string_equal(mesh.bodies[b].name, names[b]);
    assert_vertex(&mesh.bodies[0], 2, 8, 0, 0);  // (0, 2, 0) turned is (-2, 0, 0)
    assert_vertex(&mesh.bodies[0], 1, 10, 1, 0);
    assert_tent(&mesh.bodies[1], 0, 20, 0);
    assert_vertex(&mesh.bodies[2], 2, 16, 0, 100);
    assert_vertex(&mesh.bodies[3], 3, 0, 40, 106);
    assert_vertex(&mesh.bodies[4], 1, -1, 0, 0);
    // Meshes count one after the other.
    assert_int_equal(mesh.bodies[3].vertex_numbers[2], 17);
    assert_int_equal(mesh.bodies[3].polygon_numbers[1], 13);
    assert_sound(&mesh);
    snag_io_mesh_free(&mesh);
}

static void objects_of_other_parts_are_found(void **state)
{
    (void)state;
    static const char root[] = "<model unit=\"inch\" xmlns=\"" CORE
                               "\" xmlns:p=\"http://schemas.microsoft.com/3dmanufacturing/production/2015/06\"><resources>"
                               "<object id=\"1\"><components><component objectid=\"1\" "
                               "p:path=\"/3D/objects/Other.model\"/></components></object></resources>" BUILD(
                                   "<item objectid=\"1\" p:UUID=\"x\"/><item objectid=\"1\" p:path=\"/3D/Objects/other.model\" "
                                   "transform=\"1 0 0 0 1 0 0 0 1 5 0 0\"/>") "</model>";
    static const char *const others[] = {
        "<model unit=\"inch\" xmlns=\"" CORE
        "\"><resources>" TENT("id=\"1\" name=\"far\"") "</resources><build><item objectid=\"8\"/></build></model>",
        "<model unit=\"inch\" xmlns=\"" CORE "\"><resources>" TENT("id=\"2\" name=\"far\"") "</resources></model>",
        MODEL("<resources>" TENT("id=\"1\" name=\"far\"") "</resources>"),
    };
    snag_io_mesh mesh = read_ok("x.3mf", archive, make(root, others[0], ZIP_64));
    assert_int_equal(mesh.body_count, 2);
    assert_tent(&mesh.bodies[0], 0, 0, 0);
    assert_tent(&mesh.bodies[1], 5, 0, 0);
    assert_string_equal(mesh.bodies[1].name, "far");
    assert_true(mesh.metres == 0.0254);
    snag_io_mesh_free(&mesh);
    assert_refused("x.3mf", archive, make(root, others[1], ZIP_64), SNAG_ERROR_INDEX, "object 1 is used by a component");
    assert_refused("x.3mf", archive, make(root, others[2], ZIP_64), SNAG_ERROR_UNSUPPORTED, "its unit is millimeter");
}

static void other_names_spaces_and_quotes_are_understood(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_model(
        "\xef\xbb\xbf<c:model xmlns:c=\"" CORE "\" xmlns:s='slices' title='a > b'><!-- <c:object id=\"1\"/> --><c:metadata>"
        "<![CDATA[ <c:object id=\"1\"> ]]></c:metadata><c:resources><s:vertex x=\"9\"/><c:object id='1' name = 'x=\"3\"'><c:mesh>"
        "<c:vertices><c:vertex z=' 0 ' y=\"0\" x=\"-0\" /><c:vertex\nx=\"1\"\ty=\"0\"\nz=\"0\"></c:vertex><c:vertex x=\"0\" "
        "y=\"1e0\" z=\"0\"/>"
        "</c:vertices><c:triangles><c:triangle v3=\"2\" v2=\"1\" v1=\"0\" p1=\"7\"/></c:triangles>"
        "<s:beamlattice><s:beams><s:beam v1=\"0\" v2=\"1\"/><s:beam v1=\"1\" "
        "v2=\"2\"/></s:beams></s:beamlattice></c:mesh></c:object>"
        "</c:resources><c:build><c:item objectid=\"1\"/></c:build></c:model>");
    assert_string_equal(only_body(&mesh)->name, "x=\"3\"");
    assert_polygon(only_body(&mesh), 0, 0, 1, 2);
    assert_vertex(only_body(&mesh), 0, -0.0, 0, 0);
    assert_true(mesh.skipped == 2 && mesh.left_out == 2);
    snag_io_mesh_free(&mesh);
}

// ---- what is refused ----

static void what_is_wrong_is_said(void **state)
{
    (void)state;
#define SHOWN(object) MODEL("<resources>" object "</resources>" BUILD("<item objectid=\"1\"/>"))
    static const struct {
        const char *model;
        snag_status status;
        const char *words;
    } wrong[] = {
        {"", SNAG_ERROR_FORMAT, "x.3mf: /3D/some.model:1: it is empty"},
        {"<html/>", SNAG_ERROR_FORMAT, "does not begin with <model>"},
        {"\xff\xfe<", SNAG_ERROR_UNSUPPORTED, "UTF-16"},
        {MODEL(""), SNAG_ERROR_FORMAT, "no items"},
        {MODEL(TENT("id=\"1\"")), SNAG_ERROR_FORMAT, "no items"},
        {"<model unit=\"cubit\"/>", SNAG_ERROR_FORMAT, "the unit \"cubit\""},
        {SHOWN(TENT("id=\"2\"")), SNAG_ERROR_INDEX, "object 1 is used"},
        {SHOWN(TENT("id=\"one\"")), SNAG_ERROR_FORMAT, ":3: an object has no id"},
        {SHOWN(TENT("id=\"1\"") TENT("id=\"1\"")), SNAG_ERROR_FORMAT, "two objects have the id 1"},
        {SHOWN("<object id=\"1\"/>"), SNAG_ERROR_UNSUPPORTED, "neither a mesh nor components"},
        {SHOWN("<object id=\"1\"><mesh/></object>"), SNAG_ERROR_FORMAT, "no vertices"},
        {SHOWN("<object id=\"1\"><mesh><vertices>\n<vertex x=\"0\" y=\"0\"/>"), SNAG_ERROR_FORMAT,
         "some.model:4: object 1: vertex 0"},
        {SHOWN("<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"nan\"/>"), SNAG_ERROR_FORMAT, "finite"},
        {SHOWN("<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"1,5\"/>"), SNAG_ERROR_FORMAT, "finite"},
        {SHOWN("<object id=\"1\"><mesh>" VERTICES "<triangles><triangle v1=\"0\" v2=\"1\"/>"), SNAG_ERROR_FORMAT, "triangle 0"},
        {SHOWN("<object id=\"1\"><mesh>" VERTICES "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"-1\"/>"), SNAG_ERROR_FORMAT,
         "triangle 0"},
        {SHOWN("<object id=\"1\"><mesh>" VERTICES "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"5\"/></triangles></mesh></object>"),
         SNAG_ERROR_INDEX, "object 1: triangle 0 names vertex 5 (both counted from 0), but there are 5"},
        {SHOWN("<object id=\"1\"><mesh></object>" VERTICES TRIANGLES "</mesh>"), SNAG_ERROR_FORMAT, "no vertices"},
        {SHOWN("<object id=\"1\"><components><component/></components></object>"), SNAG_ERROR_FORMAT, "no object id"},
        {SHOWN("<object id=\"1\"><components><component objectid=\"3\" transform=\"1 2 3\"/>"), SNAG_ERROR_FORMAT,
         "12 finite numbers"},
        {SHOWN("<object id=\"1\"><components><component objectid=\"1\"/></components></object>"), SNAG_ERROR_FORMAT,
         "object 1 contains itself"},
        {SHOWN("<object id=\"1\"><components><component objectid=\"2\"/></components></object>"
               "<object id=\"2\"><components><component objectid=\"1\"/></components></object>"),
         SNAG_ERROR_FORMAT, "object 1 contains itself"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_model_refused(wrong[i].model, wrong[i].status, wrong[i].words);
    assert_model_refused(MODEL("<resources>" TENT("id=\"1\"") "</resources>" BUILD(
                             "<item objectid=\"1\" transform=\"1e300 0 0 0 1e300 0 0 0 1e300 1e308 1e308 1e309\"/>")),
                         SNAG_ERROR_FORMAT, "12 finite numbers");
    assert_model_refused(MODEL("<resources>" TENT("id=\"1\"") "</resources>" BUILD(
                             "<item objectid=\"1\" transform=\"1e308 0 0 0 1e308 0 0 0 1e308 1e308 0 0\"/>")),
                         SNAG_ERROR_NOT_FINITE, "vertex 1");
}

// Each object shows the next one `times` times.
static const char *make_chain(size_t length, size_t times)
{
    static char model[60000];
    size_t at = (size_t)sprintf(model, "<model><resources>" TENT("id=\"0\""));
    for (size_t i = 1; i <= length; i++) {
        at += (size_t)sprintf(model + at, "<object id=\"%zu\"><components>", i);
        for (size_t k = 0; k < times; k++)
            at += (size_t)sprintf(model + at, "<component objectid=\"%zu\"/>", i - 1);
        at += (size_t)sprintf(model + at, "</components></object>");
    }
    sprintf(model + at, "</resources><build><item objectid=\"%zu\"/></build></model>", length);
    return model;
}

static void long_ways_and_many_copies_are_bounded(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_model(make_chain(100, 1));
    assert_tent(only_body(&mesh), 0, 0, 0);
    snag_io_mesh_free(&mesh);
    assert_model_refused(make_chain(101, 1), SNAG_ERROR_SIZE, "components deep");
    mesh = read_model(make_chain(10, 2));
    assert_int_equal(mesh.body_count, 1024);
    snag_io_mesh_free(&mesh);
    assert_model_refused(make_chain(60, 2), SNAG_ERROR_LIMIT, "MB in memory");
    // Copies of nothing.
    char *model = strdup(make_chain(60, 2)), *mesh_text = strstr(model, "<mesh>"), *end = strstr(model, "</mesh>");
    memset(mesh_text + 6, ' ', (size_t)(end - mesh_text) - 6);
    assert_model_refused(model, SNAG_ERROR_LIMIT, "MB in memory");
    free(model);
}

static void archives_that_lie_are_refused(void **state)
{
    (void)state;
    size_t size = make(tent, "", ZIP_STORED);
    assert_refused("x.3mf", "nonsense", 8, SNAG_ERROR_FORMAT, "not a zip archive");
    assert_refused("x.3mf", "", 0, SNAG_ERROR_FORMAT, "not a zip archive");
    const zip_file alone[] = {{"a.txt", "a", 1}};
    static uint8_t small[200];
    assert_refused("x.3mf", small, write_zip(small, sizeof small, alone, 1, ZIP_STORED), SNAG_ERROR_FORMAT,
                   "no [Content_Types].xml");
    // The model, in the archive and in its directory.
    uint8_t *text = (uint8_t *)memmem(archive, size, "<model unit", 11), *name = NULL;
    for (uint8_t *at = archive; (at = memmem(at, size - (size_t)(at - archive), "3D/some.model", 13)) != NULL; at++)
        name = at;
    uint8_t *entry = name - 46;
    assert_memory_equal(entry, "PK\1\2", 4);
    const struct {
        uint8_t *at;
        uint8_t value;
        snag_status status;
        const char *words;
    } changes[] = {
        {text + 20, '!', SNAG_ERROR_FORMAT, "\"3D/some.model\" in it is damaged"},
        {entry + 8, 1, SNAG_ERROR_UNSUPPORTED, "is encrypted"},
        {entry + 10, 14, SNAG_ERROR_UNSUPPORTED, "method 14"},
        {entry + 20, 0xff, SNAG_ERROR_FORMAT, "cannot be as large as it says"},
        {entry + 23, 0x7f, SNAG_ERROR_FORMAT, "reaches past the end"},
        {entry + 42, 0xff, SNAG_ERROR_FORMAT, "is not where its directory says"},
        {entry + 30, 0xff, SNAG_ERROR_FORMAT, "directory"},
        {entry, 'Q', SNAG_ERROR_FORMAT, "directory is damaged"},
        {name, '4', SNAG_ERROR_FORMAT, "it refers to the part \"/3D/some.model\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint8_t before = *changes[i].at;
        *changes[i].at = changes[i].value;
        assert_refused("x.3mf", archive, size, changes[i].status, changes[i].words);
        *changes[i].at = before;
    }
}

// Zeros that shrink to a thousandth, and an entry that says it is even larger than that.
static void a_bomb_does_not_go_off(void **state)
{
    (void)state;
    enum { ZEROS = 40000000 };
    char *zeros = calloc(ZEROS, 1);
    assert_non_null(zeros);
    const zip_file files[] = {{"[Content_Types].xml", types, sizeof types - 1}, {"3D/3dmodel.model", zeros, ZEROS}};
    size_t size = write_zip(archive, sizeof archive, files, 2, ZIP_DEFLATED);
    free(zeros);
    snag_io_read_options options = snag_io_default_read_options();
    options.most_bytes = ZEROS / 2;
    snag_io_mesh mesh;
    snag_io_error error;
    failing_malloc_largest();
    assert_int_equal(snag_io_parse_mesh_with("x.3mf", archive, size, &options, &mesh, &error), SNAG_ERROR_LIMIT);
    uint8_t *entry = NULL;
    for (uint8_t *at = archive; (at = memmem(at, size - (size_t)(at - archive), "3D/3dmodel.model", 16)) != NULL; at++)
        entry = at - 46;
    entry[27] = 0x70;  // the highest byte of its size
    assert_refused("x.3mf", archive, size, SNAG_ERROR_FORMAT, "cannot be as large as it says");
    assert_true(failing_malloc_largest() < ZEROS);
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    for (zip_form form = 0; form < ZIP_FORM_COUNT; form++) {
        size_t size = make(tent, "", form);
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, archive, size);
        assert_prefixes_refused("x.3mf", copy, size, size);
        // What is deflated may unpack to a thousand times its size, so only of what is stored the largest block is looked at.
        if (form == ZIP_STORED)
            assert_changes_survived("x.3mf", copy, size);
        for (size_t i = 0; i < size; i++)
            for (int bit = 0; bit < 8; bit++) {
                copy[i] ^= (uint8_t)(1 << bit);
                read_anything("x.3mf", copy, size);
                copy[i] ^= (uint8_t)(1 << bit);
            }
        assert_failing_allocations_survived("x.3mf", copy, size);
        free(copy);
    }
    // The model itself, which no checksum hides.
    char *model = strdup(tent);
    for (size_t i = 0; i < sizeof tent - 1; i++) {
        static const char others[] = {0, '<', '>', '"', ' ', '9', 'x'};
        for (size_t k = 0; k < sizeof others; k++) {
            model[i] = others[k];
            const zip_file files[] = {{"[Content_Types].xml", types, sizeof types - 1},
                                      {"3D/3dmodel.model", model, sizeof tent - 1}};
            read_anything("x.3mf", archive, write_zip(archive, sizeof archive, files, 2, ZIP_STORED));
        }
        model[i] = tent[i];
    }
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_an_archive_gives_the_same_mesh),
        cmocka_unit_test(components_are_where_their_transforms_put_them),
        cmocka_unit_test(objects_of_other_parts_are_found),
        cmocka_unit_test(other_names_spaces_and_quotes_are_understood),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(long_ways_and_many_copies_are_bounded),
        cmocka_unit_test(archives_that_lie_are_refused),
        cmocka_unit_test(a_bomb_does_not_go_off),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

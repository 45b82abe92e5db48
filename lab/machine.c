#define _DEFAULT_SOURCE
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "snag/snag.h"

// The value of the first line that begins with `key`, after its colon.
static void find_in_file(const char *path, const char *key, char *value, size_t size)
{
    FILE *file = fopen(path, "r");
    char line[512];
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *colon = strchr(line, ':');
            snprintf(value, size, "%.*s", (int)strcspn(colon ? colon + 1 : line, "\n") - 1, colon ? colon + 2 : line);
            break;
        }
    if (file)
        fclose(file);
}

static void describe_threads(machine *m)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    if (snag_world_create(&def, &world) == SNAG_OK) {
        m->processors = snag_world_threads(world);
        snprintf(m->instruction_set, sizeof m->instruction_set, "%s", snag_isa_name(snag_world_isa(world)));
    }
    snag_world_destroy(world);
}

machine machine_describe(void)
{
    machine m = {.processor = "unknown", .load = "unknown"};
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day))
        strftime(m.date, sizeof m.date, "%Y-%m-%d", &day);
    find_in_file("/proc/cpuinfo", "model name", m.processor, sizeof m.processor);
    describe_threads(&m);
#if defined(__clang__)
    snprintf(m.compiler, sizeof m.compiler, "clang %s", __clang_version__);
#elif defined(__GNUC__)
    snprintf(m.compiler, sizeof m.compiler, "gcc %s", __VERSION__);
#endif
#ifdef SNAG_BUILD_FLAGS
    snprintf(m.compiler + strlen(m.compiler), sizeof m.compiler - strlen(m.compiler), ", %s", SNAG_BUILD_FLAGS);
#endif
    struct utsname system;
    if (uname(&system) == 0)
        snprintf(m.system, sizeof m.system, "%.40s %.60s %.20s", system.sysname, system.release, system.machine);
    double load[3];
    if (getloadavg(load, 3) == 3)
        snprintf(m.load, sizeof m.load, "%.2f %.2f %.2f", load[0], load[1], load[2]);
    return m;
}

void machine_add_facts(page *p)
{
    machine m = machine_describe();
    page_fact(p, "date", "%s", m.date);
    page_fact(p, "snag", "%s, instruction set %s", snag_version(), m.instruction_set);
    page_fact(p, "processor", "%s, %u processors", m.processor, m.processors);
    page_fact(p, "compiler", "%s", m.compiler);
    page_fact(p, "system", "%s", m.system);
    page_fact(p, "load before", "%s (1, 5, 15 minutes)", m.load);
}

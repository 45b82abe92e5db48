#define _DEFAULT_SOURCE
#include "peer_rows.h"

#include <malloc.h>
#include <string.h>

#include "../lab/machine.h"
#include "peer.h"

void peer_rows_write_head(json *j)
{
    machine m = machine_describe();
    json_flat_object(j, "machine");
    json_text(j, "date", m.date);
    json_text(j, "snag", snag_version());
    json_text(j, "processor", m.processor);
    json_count(j, "processors", m.processors);
    json_text(j, "instruction_set", m.instruction_set);
    json_text(j, "compiler", m.compiler);
    json_text(j, "system", m.system);
    json_text(j, "load", m.load);
    for (size_t i = 0; i < peer_table_count; i++)
        if (peer_table[i].peers[0])
            json_text(j, peer_table[i].peers[0]->name, peer_table[i].peers[0]->version);
    json_close_object(j);
    json_flat_object(j, "left_out");
    for (size_t i = 0; i < peer_table_count; i++)
        if (!peer_table[i].peers[0])
            json_text(j, peer_table[i].package, "was not installed when this was built");
    json_close_object(j);
}

void peer_row_write(json *j, const peer_row *row)
{
    json_flat_object(j, NULL);
    json_text(j, "bench", "peers");
    json_text(j, "scene", row->scene);
    json_text(j, "question", row->question);
    json_text(j, "method", row->method);
    json_count(j, "threads", row->threads);
    json_count(j, "elements", row->elements);
    json_count(j, "contacts", row->contacts);
    json_ms(j, "ms", row->run_threads == 1 ? row->cpu : row->wall);
    json_ms(j, "limit_ms", row->limit);
    json_count(j, "bytes", row->bytes);
    json_count(j, "run_threads", row->run_threads);
    json_ms(j, "wall_ms", row->wall);
    json_ms(j, "cpu_ms", row->cpu);
    json_ms(j, "update_ms", row->update);
    json_count(j, "candidates", row->candidates);
    json_count(j, "missing", row->missing);
    json_count(j, "extra", row->extra);
    json_close_object(j);
}

bool peer_is_wanted(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0))
            return true;
    }
    return !list;
}

size_t peer_heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

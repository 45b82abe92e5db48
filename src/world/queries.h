// Queries about points, rays, boxes and spheres: what the world keeps for them, and what the files behind snag/queries.h share.
#ifndef SNAG_WORLD_QUERIES_H
#define SNAG_WORLD_QUERIES_H

#include "probe/probe.h"

enum { SNAG__QUERY_TASKS = 64 };

typedef struct snag__queries {
    snag__probe probe;
    snag__buffer chosen, index_of;  // bodies of the query; by entry: index among the living bodies
    snag__buffer words, scratch, order;  // by query: sorting queries by where they are
    snag__buffer boundary;  // edges of an open surface
    snag__buffer found[SNAG__QUERY_TASKS], rooms[SNAG__QUERY_TASKS];  // by task: results, and what they need meanwhile
    snag__buffer counts;  // by query: results
    snag__buffer results, nested;  // of snag_world_nested
    // Lists that were returned.
    snag__buffer hits, hit_start, overlaps, overlap_start;
    snag_hit_lists hit_lists;
    snag_overlap_lists overlap_lists;
} snag__queries;

void snag__queries_free(const snag_allocator *methods, const snag_allocator *answers, snag__queries *queries);

// ---- one call ----

// Which parts of the trees a query needs.
typedef struct snag__query_needs {
    bool thin;  // rods, points and clouds, besides triangles
    bool tets;
    bool rays;  // what makes many rays fast; a few do without
} snag__query_needs;

// Bodies of a query.
typedef struct snag__query_bodies {
    const snag_body_id *ids;  // NULL: all
    size_t count;
} snag__query_bodies;

// Brings the trees up to date and fills in the search. On failure the world has a message that begins with `name`.
snag_status snag__query_begin(snag_world *world, const char *name, snag__query_bodies bodies, snag__query_needs needs,
                              snag__probe_search *search);

// Queries that are answered in rounds: after each the budget and the progress callback have a say.
typedef struct snag__query_rounds {
    const char *name;
    size_t count, done;
    uint64_t budget_us;
    bool (*progress)(void *context, double done);
    void *context;
    uint64_t started_us;
    bool stopped;
} snag__query_rounds;

// The next queries: from rounds->done on. 0 at the end.
size_t snag__query_next_round(snag_world *world, const snag__query_rounds *rounds);
// Call it after each round.
void snag__query_end_round(snag_world *world, snag__query_rounds *rounds, size_t answered);

// How many of `count` queries a task of a round takes; there are at most SNAG__QUERY_TASKS tasks.
uint32_t snag__query_task_size(const snag_world *world, size_t count);

// Checks rays, and names the first bad one.
snag_status snag__query_check_rays(snag_world *world, const char *name, const snag_ray *rays, size_t count, bool segments);
// Checks points, and names the first bad one.
snag_status snag__query_check_points(snag_world *world, const char *name, snag_positions points);

#endif

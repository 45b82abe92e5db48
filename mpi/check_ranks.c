// snag-mpi check: rank 0 deals the bodies out, tells the others what to do, and turns the contacts of all ranks into an answer.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "check_ranks.h"

#include "snag/mpi.h"

#include <stdlib.h>
#include <string.h>

typedef enum command { COMMAND_END, COMMAND_BEGIN, COMMAND_ADD, COMMAND_STEP, COMMAND_MOVE, COMMAND_TELEPORT, COMMAND_ASK } command;

// Told to all ranks.
typedef struct order {
    int command;
    uint32_t body, body_count, threads;
    uint64_t total;  // elements of a body
    uint32_t corners;
    snag_question_def question;
    bool filtered;
} order;

// A rank's piece of a body. Rank 0 has those of all ranks.
typedef struct piece {
    uint64_t vertex_count, count;
    uint64_t *vertex_numbers, *numbers;
    uint32_t *elements;
    double *x;
} piece;

struct check_ranks {
    snag_mpi *mpi;
    int rank, size;
    uint32_t threads;
    piece *pieces;  // by body, on rank 0 by body and rank
    uint32_t piece_count;
    const scene *scene;
    unsigned char *wanted;  // by two bodies
    uint32_t body_count;
    snag_contact *contacts;
    size_t capacity;
    snag_answer answer;
    snag_statistics statistics;
    char message[600];
};

static void free_pieces(check_ranks *r)
{
    for (uint32_t i = 0; i < r->piece_count; i++) {
        free(r->pieces[i].vertex_numbers);
        free(r->pieces[i].numbers);
        free(r->pieces[i].elements);
        free(r->pieces[i].x);
    }
    free(r->pieces);
    r->pieces = NULL;
    r->piece_count = 0;
}

// ---- what every rank does ----

static bool wants(void *context, uint32_t a, uint32_t b)
{
    const check_ranks *r = context;
    return r->wanted[(size_t)a * r->body_count + b] != 0;
}

// Memory that the protocol needs cannot fail on one rank alone: end the run with a word.
static void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "snag-mpi: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_ERROR);
    }
    return memory;
}

static snag_status begin_object(check_ranks *r, const order *o)
{
    snag_mpi_def def = snag_default_mpi_def();
    snag_mpi_destroy(r->mpi);
    r->mpi = NULL;
    def.threads = o->threads;
    free(r->wanted);
    r->body_count = o->body_count;
    r->wanted = must(malloc((size_t)o->body_count * o->body_count + 1));
    return snag_mpi_create(&def, &r->mpi);
}

static snag_status add_piece(check_ranks *r, const order *o, const piece *p)
{
    snag_mpi_body_def def = snag_default_mpi_body_def();
    uint32_t index;
    def.positions = snag_positions_f64(p->x, p->vertex_count);
    def.vertex_numbers = p->vertex_numbers;
    if (o->corners == 4) {
        def.tets = p->elements;
        def.tet_numbers = p->numbers;
        def.tet_count = p->count;
        def.tet_total = o->total;
    } else if (o->corners == 3) {
        def.triangles = p->elements;
        def.triangle_numbers = p->numbers;
        def.triangle_count = p->count;
        def.triangle_total = o->total;
    }
    return snag_mpi_add(r->mpi, &def, &index);
}

static snag_status move_piece(check_ranks *r, const order *o, const piece *p)
{
    snag_positions to = snag_positions_f64(p->x, p->vertex_count);
    return o->command == COMMAND_MOVE ? snag_mpi_move(r->mpi, o->body, to) : snag_mpi_teleport(r->mpi, o->body, to);
}

static snag_status ask_all(check_ranks *r, const order *o, const snag_mpi_answer **answer)
{
    snag_mpi_question_def def = snag_default_mpi_question_def(o->question.question);
    if (o->filtered) {
        MPI_Bcast(r->wanted, (int)(r->body_count * r->body_count), MPI_BYTE, 0, MPI_COMM_WORLD);
        def.bodies = wants;
        def.context = r;
    }
    def.question = o->question;
    def.results = SNAG_MPI_AT_ROOT;
    return snag_mpi_ask(r->mpi, &def, answer);
}

// ---- the other ranks ----

static void receive(void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        int now = bytes - done < 1 << 30 ? (int)(bytes - done) : 1 << 30;
        MPI_Recv((char *)to + done, now, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        done += (size_t)now;
    }
}

static void send(const void *from, size_t bytes, int to)
{
    for (size_t done = 0; done < bytes;) {
        int now = bytes - done < 1 << 30 ? (int)(bytes - done) : 1 << 30;
        MPI_Send((const char *)from + done, now, MPI_BYTE, to, 0, MPI_COMM_WORLD);
        done += (size_t)now;
    }
}

static void receive_piece(piece *p, uint32_t corners)
{
    receive(&p->vertex_count, sizeof p->vertex_count);
    receive(&p->count, sizeof p->count);
    p->vertex_numbers = must(malloc(8 * p->vertex_count + 8));
    p->numbers = must(malloc(8 * p->count + 8));
    p->elements = must(malloc(4 * corners * p->count + 4));
    p->x = must(malloc(24 * p->vertex_count + 24));
    receive(p->vertex_numbers, 8 * p->vertex_count);
    receive(p->numbers, 8 * p->count);
    receive(p->elements, 4 * corners * p->count);
    receive(p->x, 24 * p->vertex_count);
}

static void obey(check_ranks *r, const order *o)
{
    const snag_mpi_answer *answer;
    switch (o->command) {
    case COMMAND_BEGIN:
        free_pieces(r);
        r->pieces = must(calloc(o->body_count + 1, sizeof *r->pieces));
        r->piece_count = o->body_count;
        begin_object(r, o);
        break;
    case COMMAND_ADD:
        receive_piece(&r->pieces[o->body], o->corners);
        add_piece(r, o, &r->pieces[o->body]);
        break;
    case COMMAND_STEP: snag_mpi_begin_step(r->mpi); break;
    case COMMAND_MOVE:
    case COMMAND_TELEPORT:
        receive(r->pieces[o->body].x, 24 * r->pieces[o->body].vertex_count);
        move_piece(r, o, &r->pieces[o->body]);
        break;
    case COMMAND_ASK: ask_all(r, o, &answer); break;
    default: break;
    }
}

void check_ranks_serve(void)
{
    check_ranks r = {.rank = 1};
    for (;;) {
        order o;
        MPI_Bcast(&o, sizeof o, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (o.command == COMMAND_END)
            break;
        // A call that fails does so on rank 0 too, which tells the user.
        obey(&r, &o);
    }
    free_pieces(&r);
    free(r.wanted);
    snag_mpi_destroy(r.mpi);
}

// ---- rank 0 ----

static void tell(order *o)
{
    MPI_Bcast(o, sizeof *o, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static snag_status note(check_ranks *r, snag_status status)
{
    if (status != SNAG_OK)
        snprintf(r->message, sizeof r->message, "%s",
                 r->mpi && snag_mpi_message(r->mpi)[0] ? snag_mpi_message(r->mpi) : snag_status_name(status));
    return status;
}

static void position_of(snag_positions from, size_t i, double x[3])
{
    const char *at = (const char *)from.data + i * from.stride;
    if (from.scalar == SNAG_F64) {
        memcpy(x, at, 3 * sizeof(double));
        return;
    }
    float f[3];
    memcpy(f, at, sizeof f);
    for (int k = 0; k < 3; k++)
        x[k] = f[k];
}

static void fill_positions(piece *p, snag_positions now)
{
    for (size_t v = 0; v < p->vertex_count; v++)
        position_of(now, p->vertex_numbers[v], p->x + 3 * v);
}

// Elements in blocks: first .. last - 1 of a body, and their vertices.
static void make_piece(piece *p, const uint32_t *elements, uint32_t corners, uint64_t first, uint64_t last, size_t vertex_count)
{
    uint64_t room = corners > 0 ? (last - first) * corners : last - first;
    uint32_t *local = must(malloc(4 * vertex_count + 4));
    room = room < vertex_count ? room : vertex_count;
    p->count = corners > 0 ? last - first : 0;
    p->vertex_numbers = must(malloc(8 * room + 8));
    p->numbers = must(malloc(8 * p->count + 8));
    p->elements = must(malloc(4 * corners * p->count + 4));
    p->x = must(malloc(24 * room + 24));
    memset(local, 0xff, 4 * vertex_count);
    for (uint64_t e = first; e < last && corners > 0; e++) {
        p->numbers[e - first] = e;
        for (uint32_t k = 0; k < corners; k++) {
            uint32_t v = elements[e * corners + k];
            if (local[v] == UINT32_MAX) {
                local[v] = (uint32_t)p->vertex_count;
                p->vertex_numbers[p->vertex_count++] = v;
            }
            p->elements[(e - first) * corners + k] = local[v];
        }
    }
    for (uint64_t v = first; v < last && corners == 0; v++)
        p->vertex_numbers[p->vertex_count++] = v;
    free(local);
}

static snag_status add_body(check_ranks *r, uint32_t index)
{
    const scene_body *body = &r->scene->bodies[index];
    const snag_body_info *info = &body->info;
    order o = {.command = COMMAND_ADD, .body = index};
    o.corners = info->tet_count ? 4 : info->triangle_count ? 3 : 0;
    o.total = info->tet_count ? info->tet_count : info->triangle_count;
    uint64_t items = o.corners ? o.total : info->vertex_count;
    tell(&o);
    piece *mine = &r->pieces[(size_t)index * (size_t)r->size];
    for (int rank = 0; rank < r->size; rank++) {
        piece *p = &mine[rank];
        make_piece(p, info->tet_count ? info->tets : info->triangles, o.corners, items * (uint64_t)rank / (uint64_t)r->size,
                   items * (uint64_t)(rank + 1) / (uint64_t)r->size, info->vertex_count);
        fill_positions(p, body->now);
        if (rank == 0)
            continue;
        send(&p->vertex_count, sizeof p->vertex_count, rank);
        send(&p->count, sizeof p->count, rank);
        send(p->vertex_numbers, 8 * p->vertex_count, rank);
        send(p->numbers, 8 * p->count, rank);
        send(p->elements, 4 * o.corners * p->count, rank);
        send(p->x, 24 * p->vertex_count, rank);
    }
    return note(r, add_piece(r, &o, mine));
}

static snag_status begin_bodies(check_ranks *r)
{
    order o = {.command = COMMAND_BEGIN, .body_count = (uint32_t)r->scene->body_count, .threads = r->threads};
    tell(&o);
    free_pieces(r);
    r->piece_count = o.body_count * (uint32_t)r->size;
    r->pieces = must(calloc(r->piece_count + 1, sizeof *r->pieces));
    snag_status status = note(r, begin_object(r, &o));
    for (uint32_t i = 0; i < o.body_count && status == SNAG_OK; i++)
        status = add_body(r, i);
    return status;
}

static snag_status moved(void *context, const scene *s, bool jump)
{
    check_ranks *r = context;
    bool anew = r->mpi == NULL || s->changed;
    r->scene = s;
    if (anew)
        return begin_bodies(r);
    order o = {.command = COMMAND_STEP};
    snag_status status = SNAG_OK;
    if (!jump) {
        tell(&o);
        status = note(r, snag_mpi_begin_step(r->mpi));
    }
    for (uint32_t i = 0; i < s->body_count && status == SNAG_OK; i++) {
        o.command = jump ? COMMAND_TELEPORT : COMMAND_MOVE;
        o.body = i;
        tell(&o);
        piece *mine = &r->pieces[(size_t)i * (size_t)r->size];
        for (int rank = 0; rank < r->size; rank++) {
            fill_positions(&mine[rank], s->bodies[i].now);
            if (rank > 0)
                send(mine[rank].x, 24 * mine[rank].vertex_count, rank);
        }
        status = note(r, move_piece(r, &o, mine));
    }
    return status;
}

static int compare_edge(const void *key, const void *edge)
{
    const uint32_t *a = key, *b = edge;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static snag_element element_of(const snag_body_info *info, const snag_mpi_element *e)
{
    snag_element made = {.kind = e->kind, .index = (uint32_t)e->number};
    if (e->kind == SNAG_EDGE) {
        made.vertex[0] = (uint32_t)e->number;
        made.vertex[1] = (uint32_t)e->other;
        const uint32_t *found = bsearch(made.vertex, info->edges, info->edge_count, 2 * sizeof *info->edges, compare_edge);
        made.index = found ? (uint32_t)((found - info->edges) / 2) : 0;
    }
    return made;
}

static snag_contact contact_of(const scene *s, const snag_mpi_contact *c)
{
    const scene_body *a = &s->bodies[c->body_a], *b = &s->bodies[c->body_b];
    snag_contact made = {
        .body_a = a->id,
        .body_b = b->id,
        .a = element_of(&a->info, &c->a),
        .b = element_of(&b->info, &c->b),
        .kind = c->kind,
        .shared = c->shared,
        .value = c->value,
        .t = c->t,
    };
    memcpy(made.point_a, c->point_a, sizeof made.point_a);
    memcpy(made.point_b, c->point_b, sizeof made.point_b);
    memcpy(made.normal, c->normal, sizeof made.normal);
    memcpy(made.weight, c->weight, sizeof made.weight);
    return made;
}

static snag_status read_answer(check_ranks *r, const snag_mpi_answer *found, const snag_answer **answer)
{
    if (!words_grow((void **)&r->contacts, &r->capacity, found->count, sizeof *r->contacts))
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < found->count; i++)
        r->contacts[i] = contact_of(r->scene, &found->contacts[i]);
    r->statistics = (snag_statistics){.candidates = (size_t)found->statistics.candidates};
    r->answer = (snag_answer){
        .question = found->question,
        .method = found->method,
        .reason = found->reason,
        .contacts = r->contacts,
        .count = found->count,
        .complete = true,
        .covered = 1,
        .earliest = found->earliest,
        .degenerate = (size_t)found->degenerate,
        .ratio = 1,
        .ratio_low = 1,
        .ratio_high = 1,
        .statistics = &r->statistics,
    };
    *answer = &r->answer;
    return SNAG_OK;
}

static snag_status ask(void *context, snag_world *world, const any_question *question, const snag_answer **answer)
{
    check_ranks *r = context;
    any_question plain = *question;
    any_def made;
    const snag_mpi_answer *found = NULL;
    (void)world;
    plain.progress = NULL;  // the search of all ranks is not stopped
    plain.filter = NULL;
    order o = {.command = COMMAND_ASK, .filtered = question->filter != NULL};
    if (question->budget_us != 0) {
        snprintf(r->message, sizeof r->message, "snag-mpi has no --budget: ranks would stop at different places");
        return SNAG_ERROR_UNSUPPORTED;
    }
    o.question = *any_def_of(&plain, &made);
    o.question.options = NULL;  // they change the speed, not the answer
    o.question.filter = NULL;
    o.question.context = NULL;
    for (uint32_t a = 0; o.filtered && a < r->body_count; a++)
        for (uint32_t b = 0; b < r->body_count; b++)
            r->wanted[(size_t)a * r->body_count + b] =
                question->filter(question->context, r->scene->bodies[a].id, r->scene->bodies[b].id);
    tell(&o);
    snag_status status = note(r, ask_all(r, &o, &found));
    return status == SNAG_OK ? read_answer(r, found, answer) : status;
}

static const char *message(void *context)
{
    return ((check_ranks *)context)->message;
}

check_ranks *check_ranks_begin(const options *o, asker *by)
{
    check_ranks *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    r->threads = o->threads;
    *by = (asker){ask, moved, message, r};
    return r;
}

void check_ranks_end(check_ranks *r)
{
    order o = {.command = COMMAND_END};
    tell(&o);
    if (r == NULL)
        return;
    free_pieces(r);
    free(r->wanted);
    free(r->contacts);
    snag_mpi_destroy(r->mpi);
    free(r);
}

// snag-mpi check [options] INPUT...: as `snag check`, searched by all ranks.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "check_ranks.h"
#include "cli/manual.h"
#include "cli/run.h"

#include <string.h>

static int check(int count, char **arguments, words *w)
{
    const verb_description *verb = verb_from_name("check");
    options o;
    w->verb = verb->name;
    int result = options_parse(verb, count - 2, arguments + 2, w, &o);
    check_ranks *ranks = NULL;
    if (result == EXIT_CLEAN && o.help)
        manual_print_help(stdout, verb);
    else if (result == EXIT_CLEAN) {
        asker by;
        ranks = check_ranks_begin(&o, &by);
        result = ranks ? check_run(&o, &by, w) : words_out_of_memory(w);
    }
    check_ranks_end(ranks);
    options_free(&o);
    return result;
}

static int rank_0(int count, char **arguments)
{
    words w = {.program = count > 0 && arguments[0][0] ? arguments[0] : "snag-mpi"};
    if (count > 1 && strcmp(arguments[1], "check") == 0)
        return run_finish_output(check(count, arguments, &w), &w);
    int result = EXIT_CLEAN;
    if (count > 1 && strcmp(arguments[1], "--version") == 0)
        printf("snag-mpi %s\n", snag_version());
    else if (count > 1 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0))
        printf("mpirun -n RANKS snag-mpi check [options] INPUT...\n\nOptions and output are those of `snag check`; all ranks "
               "search. Rank 0 reads and "
               "writes the files.\nSee snag-mpi check --help.\n");
    else
        result = words_error(&w, "the only verb is check: mpirun -n RANKS snag-mpi check [options] INPUT...");
    check_ranks_end(NULL);
    return run_finish_output(result, &w);
}

int main(int count, char **arguments)
{
    int rank = 0, result = EXIT_CLEAN, provided;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        result = rank_0(count, arguments);
    else
        check_ranks_serve();
    fflush(NULL);
    MPI_Finalize();
    return result;
}

/* Routing a circuit board: tasks that change one large structure, and hardly ever the same part of it.
 *
 * A task makes one connection, by Lee's algorithm: a wave goes out from one pin until it reaches the other. That takes nearly all of
 * the time, and is done with no lock and outside of any transaction, on copies of the patches that it comes to. They may be of
 * different moments. Then the track is laid: if all of its cells are still free they are taken, in one atomic block. If not, somebody
 * was faster, and it is looked for again. If there was no way there never will be, as cells get taken, and never free.
 *
 * What is laid depends on who comes first, but whoever did: tracks lead from pin to pin and share no cell, and where there
 * is no track, there is no way left. All of that is checked.
 * Source: Watson, Kirkham, Lujan, A study of a transactional parallel routing algorithm, PACT 2007; TERAFLUX D3.5.
 *
 *     cc -std=c11 -O2 -o lee examples/lee.c examples/lee/[a-z]*.c -pthread
 *     ./lee [--time] [--picture FILE.ppm] [BOARD.txt]
 *
 * --time: a table on standard error. --picture: of the last way. BOARD.txt: in the format of Lee-TM; a random one by default.
 */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lee/board.h"
#include "lee/maze.h"

enum { SIDE = 120, CONNECTIONS = 150 };   /* of the random board */

typedef struct {
    const board *board;
    unsigned char *cells;   /* shared: not 0 where a pad or track is */
    track *tracks;          /* of each connection */
    long again;             /* tracks that were found, but somebody was faster */
} job;

/* --- what the ways differ in: how cells are looked at, how a track is laid, in which order ------------ */

typedef struct {
    const char *name;
    maze_fetch *fetch;
    int (*lay)(unsigned char *cells, const track *t);   /* 0: not laid, as a cell is taken */
    void (*run)(const void *way, job *j);
} way;

static void fetch_plainly(unsigned char *to, const unsigned char *from, size_t n) { memcpy(to, from, n); }

static int lay_plainly(unsigned char *cells, const track *t)
{
    for (long i = 1; i < t->count - 1; i++)
        if (cells[t->cell[i]])
            return 0;
    for (long i = 1; i < t->count - 1; i++)
        cells[t->cell[i]] = 1;
    return 1;
}

static df_mutex lock = DF_MUTEX;

static void fetch_locked(unsigned char *to, const unsigned char *from, size_t n)
{
    df_mutex_lock(&lock);
    fetch_plainly(to, from, n);
    df_mutex_unlock(&lock);
}

static int lay_locked(unsigned char *cells, const track *t)
{
    df_mutex_lock(&lock);
    int laid = lay_plainly(cells, t);
    df_mutex_unlock(&lock);
    return laid;
}

static void fetch_atomically(unsigned char *to, const unsigned char *from, size_t n)
{
    DF_ATOMIC { df_tm_read_bytes(to, from, n); }
}

static int lay_atomically(unsigned char *cells, const track *t)
{
    volatile int taken = 0;
    DF_ATOMIC {
        taken = 0;
        for (long i = 1; i < t->count - 1 && !taken; i++)
            taken = df_tm_read(&cells[t->cell[i]]);
        for (long i = 1; i < t->count - 1 && !taken; i++)
            df_tm_write(&cells[t->cell[i]], 1);
    }
    return !taken;
}

/* --- one connection after the other, and all at once --------------------------------------------------- */

static void make_connection(const way *w, job *j, long k, maze *m, long *again)
{
    track *t = &j->tracks[k];
    for (;; ++*again) {
        if (!maze_find(m, j->board, j->cells, &j->board->connection[k], w->fetch, t)) {
            df_fail(DF_ERROR_MEMORY, "no memory for a wave");
            return;
        }
        if (t->count == 0 || w->lay(j->cells, t))
            return;
        free(t->cell);
    }
}

static void run_serially(const void *w, job *j)
{
    maze m = { NULL, NULL, NULL, NULL };
    for (long k = 0; k < j->board->connections && !df_cancelled(); k++)
        make_connection(w, j, k, &m, &j->again);
    maze_free(&m);
}

/* What a worker keeps from one connection to the next: a private copy of something that is reduced. */
typedef struct { maze maze; long again; } kept;
static void keep_nothing(kept *k) { *k = (kept){ .again = 0 }; }
static void give_back(kept *into, const kept *from)
{
    maze m = from->maze;
    into->again += from->again;
    maze_free(&m);
}
DF_REDUCTION(keep, kept, give_back, keep_nothing);

DF_LOOP(make_connections, (const way *, w), (job *, j), df_reduce(keep, kept, mine, 1));
void make_connections(long begin, long end, const way *w, job *j, kept *mine)
{
    for (long k = begin; k < end; k++)
        make_connection(w, j, k, &mine->maze, &mine->again);
}

static void run_in_parallel(const void *w, job *j)
{
    kept all = { .again = 0 };
    df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC), make_connections, 0, j->board->connections, w, j, &all);
    j->again = all.again;
    maze_free(&all.maze);
}

static const way ways[] = {
    { "serial", fetch_plainly, lay_plainly, run_serially },
    { "locks", fetch_locked, lay_locked, run_in_parallel },
    { "transactions", fetch_atomically, lay_atomically, run_in_parallel },
};

/* --- the program ----------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void end_without_memory(void)
{
    fprintf(stderr, "lee: not enough memory\n");
    exit(1);
}

/* Is there no way left for the connections without a track? */
static int is_complete(const job *j)
{
    maze m = { NULL, NULL, NULL, NULL };
    int complete = 1;
    for (long k = 0; k < j->board->connections; k++) {
        track t = { NULL, 0 };
        if (j->tracks[k].count == 0
            && !maze_find(&m, j->board, j->cells, &j->board->connection[k], fetch_plainly, &t))
            end_without_memory();
        complete &= t.count == 0;
        free(t.cell);
    }
    maze_free(&m);
    return complete;
}

static int route(const way *w, const board *b, int show_time, const char *picture)
{
    job j = { b, malloc((size_t)board_cells(b)), calloc((size_t)b->connections + 1, sizeof(track)), 0 };
    df_stm_counters before, after;
    long laid = 0, cells = 0;
    if (!j.cells || !j.tracks)
        end_without_memory();
    memcpy(j.cells, b->pad, (size_t)board_cells(b));
    df_stm_stats(&before);
    double start = now();
    w->run(w, &j);
    double seconds = now() - start;
    df_stm_stats(&after);
    if (df_wait_result() != DF_OK)
        end_without_memory();

    int verified = board_verify(b, j.tracks), complete = is_complete(&j);
    for (long k = 0; k < b->connections; k++) {
        laid += j.tracks[k].count > 0;
        cells += j.tracks[k].count;
    }
    if (w == ways)   /* the others lay what they lay */
        printf("%-13s %ld tracks of %ld cells\n", w->name, laid, cells);
    printf("%-13s %s, %s\n", w->name, verified == 1 ? "every track verified" : "WRONG tracks",
           complete ? "no way left for the others" : "and ways left for the others: WRONG");
    if (show_time)
        fprintf(stderr, "%-13s %8.3f %7ld %8ld %6ld %10.0f %10.0f\n", w->name, seconds, laid, cells, j.again,
                (double)(after.commits - before.commits),
                (double)(after.locked + after.too_new + after.changed + after.to_log + after.gave_way - before.locked
                         - before.too_new - before.changed - before.to_log - before.gave_way));
    if (picture && !board_draw(b, j.tracks, picture)) {
        fprintf(stderr, "lee: cannot write %s\n", picture);
        exit(1);
    }
    for (long k = 0; k < b->connections; k++)
        free(j.tracks[k].cell);
    free(j.tracks);
    free(j.cells);
    return verified == 1 && complete;
}

int main(int argc, char **argv)
{
    enum { WAYS = sizeof ways / sizeof *ways };
    const char *file = NULL, *picture = NULL;
    int show_time = 0, usage = 0, right = 1;
    char error[BOARD_ERROR];
    board b;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--time"))
            show_time = 1;
        else if (!strcmp(argv[i], "--picture") && i + 1 < argc)
            picture = argv[++i];
        else if (argv[i][0] == '-' || file)
            usage = 1;
        else
            file = argv[i];
    }
    if (usage) {
        fprintf(stderr, "usage: lee [--time] [--picture FILE.ppm] [BOARD.txt]\n");
        return 1;
    }
    if (file && !board_read(&b, file, error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if (!file && !board_generate(&b, SIDE, CONNECTIONS))
        end_without_memory();
    df_start(NULL);   /* would start by itself; the times are for the routing only */
    printf("%s: %ld connections, %d layers of %d x %d cells\n", b.name, b.connections, LAYERS, b.width, b.height);
    if (show_time)
        fprintf(stderr, "%-13s %8s %7s %8s %6s %10s %10s\n", "", "seconds", "tracks", "cells", "again", "blocks",
                "taken back");
    for (int i = 0; i < WAYS; i++)
        right &= route(&ways[i], &b, show_time, i == WAYS - 1 ? picture : NULL);
    board_free(&b);
    return right ? 0 : 1;
}

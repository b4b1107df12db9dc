/* Routing a circuit board: tasks that change one large structure, and hardly ever the same part of it.
 *
 * A task makes one connection, by Lee's algorithm: a wave goes out from one pin until it reaches the other. That takes
 * nearly all of the time. There are two ways to make several connections at the same time.
 *
 * By transactions, and for comparison with a lock: the wave runs without a lock and outside of any transaction, on
 * copies of the patches that it reaches. The copies may be of different moments. Then the track is laid: if all of its
 * cells are still free they are taken, in one atomic block. If not, another task was faster, and the search is
 * repeated. If there was no way there never will be one, because cells are taken, and never become free. The tracks
 * depend on the order of the tasks, but in any order they lead from pin to pin and share no cell, and where there is no
 * track, there is no way left. All of that is checked.
 *
 * By speculation: each connection is made as it is serially, which is checked, too. A task declares a rectangle around
 * its pins and searches only there; tasks with disjoint rectangles run at the same time. A rectangle is rarely too
 * narrow, and df_speculate_while continues as if none were. If one is, the tracks of later turns are rolled back, those
 * of the same turn are removed, that one connection is made on the whole board, and all others are made again after it.
 * Source: Watson, Kirkham, Lujan, A study of a transactional parallel routing algorithm, PACT 2007; TERAFLUX D3.5.
 *
 *     cc -std=c11 -O2 -o lee examples/lee.c examples/lee/[a-z]*.c -pthread
 *     ./lee [--time] [--picture FILE.ppm] [BOARD.txt]
 *
 * --time: a table on standard error. again: tracks laid without success; ahead: tasks that ran before their condition
 * was known; dropped: tasks that did not run, because their condition was false. --picture: of the last way. BOARD.txt:
 * in the format of Lee-TM; a random one by default.
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
    /* tracks that were found, but another task was faster; or that were not searched, as an earlier one did not fit */
    long again;
} job;

/* --- the differences between the ways: how cells are read, how a track is laid, in which order -------- */

typedef struct {
    const char *name;
    maze_fetch *fetch;
    int (*lay)(unsigned char *cells, const track *t);   /* 0: not laid, as a cell is taken */
    void (*run)(const void *way, job *j);
    int in_order;           /* lays the tracks of the serial way */
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

/* The data that a worker keeps from one connection to the next: a private copy in a reduction. */
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

/* --- by speculation ----------------------------------------------------------------------------------------- */

/* connections of a turn; with 8 twice as many are repeated on the main board of Lee-TM, with 16 four times */
enum { BATCH = 4 };

static int distance(const connection *c) { return abs(c->from.x - c->to.x) + abs(c->from.y - c->to.y); }

/* The margin of a rectangle for tracks that lead around others. Larger: fewer do not fit, but more overlap. So 1 of
 * 100 does not fit on the boards of Lee-TM, apart from those that have no way at all. */
static int margin(const connection *c) { return 4 + distance(c) / 4; }

/* Most cells of a track that fits. One that leaves the rectangle goes through the margin, a step further and back:
 * it has at least one more. So a track that fits is a shortest one, and no shortest one leaves the rectangle. Of
 * several the wave finds the one whose steps it tries first, as it does on the whole board. */
static long room_for(const connection *c) { return distance(c) + 2 * margin(c) + 2; }

/* A connection within a rectangle, of which both layers are given. t->count is 0 if it does not fit. */
DF_TASK(void, connect_within, (const board *, b), (const connection *, c), (rectangle, r),
        df_inout2(unsigned char, first_layer, r.height, r.width, b->columns),
        df_inout2(unsigned char, second_layer, r.height, r.width, b->columns), (long, room),
        df_out(int32_t, cell, room), df_inout(track, t, 1));
void connect_within(const board *b, const connection *c, rectangle r, unsigned char *first_layer,
                    unsigned char *second_layer, long room, int32_t *cell, track *t)
{
    unsigned char *const layer[LAYERS] = { first_layer, second_layer };
    const connection moved = { { c->from.x - r.x, c->from.y - r.y }, { c->to.x - r.x, c->to.y - r.y } };
    maze m = { NULL, NULL, NULL, NULL };
    track found = { NULL, 0 };
    board part;
    if (!board_cut(&part, b, r, layer)) {
        df_fail(DF_ERROR_MEMORY, "no memory for a part of the board");
        return;
    }
    if (!maze_find(&m, &part, part.pad, &moved, fetch_plainly, &found))
        df_fail(DF_ERROR_MEMORY, "no memory for a wave");
    t->count = found.count <= room ? found.count : 0;
    for (long i = 0; i < t->count; i++) {
        int row = found.cell[i] / part.columns, k = row / part.rows;
        int x = found.cell[i] % part.columns - 1, y = row % part.rows - 1;
        cell[i] = board_cell(b, k, (pin){ r.x + x, r.y + y });
        if (i > 0 && i < t->count - 1)
            layer[k][(long)y * b->columns + x] = 1;
    }
    free(found.cell);
    maze_free(&m);
    board_free(&part);
}

/* Counts the tracks before the first that does not fit. */
DF_TASK(void, count_tracks, (long, n), df_in(track, t, n), df_inout(long, done, 1), df_out(int, misfit, 1));
void count_tracks(long n, const track *t, long *done, int *misfit)
{
    long i = 0;
    while (i < n && t[i].count > 0)
        i++;
    *done += i;
    *misfit = i < n;
}

static void submit_batch(job *j, long begin, long end, long *done, int *misfit)
{
    const board *b = j->board;
    for (long k = begin; k < end; k++) {
        const connection *c = &b->connection[k];
        rectangle r = board_around(b, c, margin(c));
        unsigned char *first = j->cells + board_cell(b, 0, (pin){ r.x, r.y });
        unsigned char *second = j->cells + board_cell(b, 1, (pin){ r.x, r.y });
        track *t = &j->tracks[k];
        df_submit(connect_within, b, c, r, first, second, room_for(c), t->cell, t);
    }
    df_submit(count_tracks, end - begin, j->tracks + begin, done, misfit);
}

static void rip_up(job *j, track *t)
{
    for (long i = 1; i < t->count - 1; i++)
        j->cells[t->cell[i]] = 0;
    t->count = 0;
}

static void run_speculatively(const void *w, job *j)
{
    const long n = j->board->connections;
    maze m = { NULL, NULL, NULL, NULL };
    long done = 0;
    int misfit;
    for (long k = 0; k < n; k++)
        if (!(j->tracks[k].cell = malloc((size_t)room_for(&j->board->connection[k]) * sizeof(int32_t)))) {
            df_fail(DF_ERROR_MEMORY, "no memory for a track");
            return;
        }
    while (done < n && !df_cancelled()) {
        long end = done;
        misfit = 0;
        df_speculate_while(&misfit, 0) {
            long begin = end;
            if (begin == n)
                break;
            end = n - begin < BATCH ? n : begin + BATCH;
            submit_batch(j, begin, end, &done, &misfit);
        }
        df_wait_on(&done, sizeof done);   /* further turns have been rolled back by then */
        if (misfit) {
            j->again += end - done;
            for (long k = done + 1; k < n && k < done + BATCH; k++)
                rip_up(j, &j->tracks[k]);
            free(j->tracks[done].cell);
            make_connection(w, j, done++, &m, &j->again);
        }
    }
    maze_free(&m);
}

static const way ways[] = {
    { "serial", fetch_plainly, lay_plainly, run_serially, 1 },
    { "locks", fetch_locked, lay_locked, run_in_parallel, 0 },
    { "transactions", fetch_atomically, lay_atomically, run_in_parallel, 0 },
    { "speculation", fetch_plainly, lay_plainly, run_speculatively, 1 },
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

static int are_equal(long n, const track *t, const track *u)
{
    for (long k = 0; k < n; k++)
        if (t[k].count != u[k].count
            || (t[k].count > 0 && memcmp(t[k].cell, u[k].cell, (size_t)t[k].count * sizeof *t[k].cell) != 0))
            return 0;
    return 1;
}

/* Are the tracks right? They are left in *tracks. serial: those of the serial way, NULL if this is it. */
static int route(const way *w, const board *b, track **tracks, const track *serial, int show_time, const char *picture)
{
    job j = { b, malloc((size_t)board_cells(b)), calloc((size_t)b->connections + 1, sizeof(track)), 0 };
    df_stm_counters before, after;
    df_counters tasks_before, tasks_after;
    long laid = 0, cells = 0;
    if (!j.cells || !j.tracks)
        end_without_memory();
    memcpy(j.cells, b->pad, (size_t)board_cells(b));
    df_stm_stats(&before);
    df_counters_get(&tasks_before);
    double start = now();
    w->run(w, &j);
    double seconds = now() - start;
    df_stm_stats(&after);
    df_counters_get(&tasks_after);
    if (df_wait_result() != DF_OK)
        end_without_memory();

    int verified = board_verify(b, j.tracks) == 1, complete = is_complete(&j);
    int same = !w->in_order || !serial || are_equal(b->connections, j.tracks, serial);
    for (long k = 0; k < b->connections; k++) {
        laid += j.tracks[k].count > 0;
        cells += j.tracks[k].count;
    }
    if (!serial)   /* the others lay what they lay, or the same */
        printf("%-13s %ld tracks of %ld cells\n", w->name, laid, cells);
    printf("%-13s %s, %s%s\n", w->name, verified ? "every track verified" : "WRONG tracks",
           complete ? "no way left for the others" : "and ways left for the others: WRONG",
           !same ? ", and NOT those of the serial way" : serial && w->in_order ? ", the tracks of the serial way" : "");
    if (show_time)
        fprintf(stderr, "%-13s %8.3f %7ld %8ld %6ld %10.0f %10.0f %7.0f %7.0f\n", w->name, seconds, laid, cells,
                j.again, (double)(after.commits - before.commits),
                (double)(after.locked + after.too_new + after.changed + after.to_log + after.gave_way - before.locked
                         - before.too_new - before.changed - before.to_log - before.gave_way),
                (double)(tasks_after.speculated - tasks_before.speculated),
                (double)(tasks_after.undone - tasks_before.undone));
    if (picture && !board_draw(b, j.tracks, picture)) {
        fprintf(stderr, "lee: cannot write %s\n", picture);
        exit(1);
    }
    free(j.cells);
    *tracks = j.tracks;
    return verified && complete && same;
}

int main(int argc, char **argv)
{
    enum { WAYS = sizeof ways / sizeof *ways };
    const char *file = NULL, *picture = NULL;
    track *tracks[WAYS];
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
        fprintf(stderr, "%-13s %8s %7s %8s %6s %10s %10s %7s %7s\n", "", "seconds", "tracks", "cells", "again",
                "blocks", "aborted", "ahead", "dropped");
    for (int i = 0; i < WAYS; i++)
        right &= route(&ways[i], &b, &tracks[i], i > 0 ? tracks[0] : NULL, show_time, i == WAYS - 1 ? picture : NULL);
    for (int i = 0; i < WAYS; i++) {
        for (long k = 0; k < b.connections; k++)
            free(tracks[i][k].cell);
        free(tracks[i]);
    }
    board_free(&b);
    return right ? 0 : 1;
}

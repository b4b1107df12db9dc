/* df-simulate.c - prediction of the time of a program that uses df with other numbers of workers
 *
 *     cc -O2 -o df-simulate tools/df-simulate.c
 *     DF_STATS=1 DF_TRACE=run.json DF_WORKERS=1 ./program
 *     df-simulate run.json
 *
 * From the tasks of a run, their times and their order, it computes work, span and parallelism, and simulates the run
 * with 1, 2, 4 .. 1024 workers: docs/simulate.md. The trace needs DF_STATS=1, which adds each event to it. */
#include "df-simulate/read.h"
#include "df-simulate/scheduler.h"

enum {
    CURVE = 1024,    /* workers */
    STEAL_NS = 500,  /* extra time of a stolen task: DFI_TINY_NS */
    CLAIM_NS = 100   /* time to claim part of a loop that several workers execute: DFI_LOOP_PART_NS */
};

/* Formats a time with its unit. text: at least 16 bytes. */
static const char *time_text(char *text, const struct run *r, double ticks)
{
    static const char unit[][3] = { "ns", "us", "ms", "s" };
    double ns = ticks * r->ns_per_tick;
    int i = 0;
    while (i < 3 && ns >= 1000) ns /= 1000, i++;
    snprintf(text, 16, "%.*f %s", ns >= 100 || (!i && ns >= 10) ? 0 : ns >= 10 ? 1 : 2, ns > 1e6 ? 1e6 : ns, unit[i]);
    return text;
}

/* The time from the first step of the program to the end of its last one, as measured. */
static double took(const struct run *r)
{
    uint64_t from = UINT64_MAX, to = 0;
    uint32_t i;
    for (i = 0; i < r->tracks; i++)
        if (r->track[i].program) {
            uint64_t began = r->body[r->track[i].program - 1].id;
            if (began < from) from = began;
            if (r->track[i].now > to) to = r->track[i].now;
        }
    return to > from ? (double)(to - from) : 0;
}

/* Prints the prediction from r, which has been divided. */
static void report(const struct run *r, FILE *out)
{
    struct plan p;
    double program = work_of(r, 1), work = work_of(r, 0) + program, span, one = 0, ticks = 0;
    uint32_t left, workers;
    int starved = 1;
    char a[16], b[16], c[16];
    if (work <= 0) {
        fprintf(out, "no tasks and no loops: there is nothing to predict from\n");
        return;
    }
    plan_new(&p, r);
    p.task = r->gaps ? (double)r->gap_ticks / (double)r->gaps - r->cost.outside : 0;
    if (p.task < 0) p.task = 0;
    p.steal = STEAL_NS / r->ns_per_tick, p.claim = CLAIM_NS / r->ns_per_tick;
    span = simulate(&p, ALL, &starved, &left);
    fprintf(out, "work %s, %s of it in the program outside of tasks; span %s\n", time_text(a, r, work),
            time_text(b, r, program), time_text(c, r, span));
    if (span > 0)
        fprintf(out, "parallelism %.2f: no number of workers makes it more than %.2f times as fast as one\n",
                work / span, work / span);
    if (took(r) > 0)
        fprintf(out, "this run took %s with %u workers; predicted from its tasks: %s\n", time_text(a, r, took(r)),
                r->workers, time_text(b, r, simulate(&p, r->workers, &starved, &left)));
    fprintf(out, "%-10s %10s %10s\n", "workers", "predicted", "speed-up");
    for (workers = 1, starved = 1; workers <= CURVE; workers *= 2) {
        if (starved) ticks = simulate(&p, workers, &starved, &left);
        if (workers == 1) one = ticks;
        fprintf(out, "%-10u %10s %10.2f\n", (unsigned)workers, time_text(a, r, ticks), ticks > 0 ? one / ticks : 1);
    }
    if (left)
        fprintf(out, "NOT ALL: %u tasks wait for something that is not known: they are left out of the prediction\n",
                (unsigned)left);
    if (r->stolen_futures)
        fprintf(out, "a function of df_spawn that no other worker took is part of the body that spawned it: work that "
                     "could be divided there is not in the span\n");
    plan_free(&p);
}

/* Reports each run of the file. Returns their number. */
static int report_file(FILE *file, FILE *out)
{
    struct run r;
    int runs;
    memset(&r, 0, sizeof r);
    for (runs = 0; read_run(&r, file); runs++) {
        if (runs) fprintf(out, "\n");
        divide(&r);
        report(&r, out);
    }
    run_free(&r);
    return runs;
}

int main(int argc, char **argv)
{
    FILE *file;
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: df-simulate FILE.json\nthe file is made by: DF_STATS=1 DF_TRACE=FILE.json ./program\n");
        return 2;
    }
    if (!(file = fopen(argv[1], "r"))) {
        perror(argv[1]);
        return 1;
    }
    if (!report_file(file, stdout)) {
        fprintf(stderr, "%s has no events: it is made by DF_STATS=1 DF_TRACE=FILE.json ./program\n", argv[1]);
        return 1;
    }
    fclose(file);
    return 0;
}

/* The two ways of messages from superstep to superstep. Part of pregel.h. */

/* Totals of any type, as parameters of tasks, and as their arguments. */
#ifdef PREGEL_TOTAL
#define PREGEL_TOTALS     , df_in(PREGEL_TOTAL, total, 1), df_reduce(pregel_total, PREGEL_TOTAL, add_total, 1)
#define PREGEL_PARAMETERS , const PREGEL_TOTAL *total, PREGEL_TOTAL *add_total
#define PREGEL_MEMBERS    , .total = total, .add_total = add_total
#else
#define PREGEL_TOTALS
#define PREGEL_PARAMETERS
#define PREGEL_MEMBERS
#endif
#ifdef PREGEL_CHANGES
#define PREGEL_GRAPH , .own = g->own, .ids = g->ids
#else
#define PREGEL_GRAPH
#endif
#define PREGEL_VERTEX                                                                                           \
    (pregel_vertex){ .step = step, .graph = g->graph, .context = g->context, .sums = sums, .add = add, .row = row, \
                     .shift = g->shift PREGEL_MEMBERS PREGEL_GRAPH }

/* --- by dataflow ------------------------------------------------------------------------------------ */

DF_STATIC_TASK(void, pregel_flow, (pregel_job *, g), (long, step), (int, parts), df_inout(pregel_part, p, 1),
               df_in2(pregel_box, from, parts, 1, parts), df_inout(pregel_box, to, parts),
               df_in(int64_t, sums, PREGEL_COUNTS), df_reduce(df_sum, int64_t, add, PREGEL_COUNTS) PREGEL_TOTALS);
static void pregel_flow(pregel_job *g, long step, int parts, pregel_part *p, const pregel_box *from, pregel_box *to,
                        const int64_t *sums, int64_t *add PREGEL_PARAMETERS)
{
#ifdef PREGEL_CHANGES
    for (int i = 0; i < parts; i++)
        pregel_gather(p, &from[(long)i * parts]);
    pregel_enter(g, p);
#endif
    for (int i = 0; i < parts; i++)
        pregel_receive(g, p, &from[(long)i * parts]);
#ifdef PREGEL_LIST
    for (int i = 0, room = pregel_arrange(g, p); room && i < parts; i++)
        pregel_place(g, p, &from[(long)i * parts]);
#endif
    pregel_row *row = &g->row[step % 2][p - g->part];
    row->box = to;
    pregel_empty(row);
    pregel_visit(g, p, PREGEL_VERTEX);
    add[PREGEL_SENT] += pregel_letters(row);
}

/* Returns the number of supersteps. */
static long pregel_by_dataflow(pregel_job *g, int64_t *sent)
{
    int64_t sums[3][PREGEL_COUNTS] = { { 0 } };   /* of a superstep, the last one, the next one */
#ifdef PREGEL_TOTAL
    static const PREGEL_TOTAL none = PREGEL_TOTAL_NONE;
    PREGEL_TOTAL total[3] = { none, none, none };
#define PREGEL_PASS , &total[(submitted + 2) % 3], &total[submitted % 3]
#else
#define PREGEL_PASS
#endif
    int n = g->parts;
    long step = 0, submitted = 0;
    for (int m = 0; m < 2; m++)
        if (!(g->matrix[m] = (pregel_box *)calloc((size_t)n * (size_t)n, sizeof *g->matrix[m]))) {
            df_fail(DF_ERROR_MEMORY, "no memory for boxes");
            return 0;
        }
    for (;; step++) {
        for (; submitted <= step + 1; submitted++) {
            int64_t *add = sums[submitted % 3];
            for (int i = 0; i < PREGEL_COUNTS; i++)
                add[i] = 0;
#ifdef PREGEL_TOTAL
            total[submitted % 3] = none;
#endif
            for (int p = 0; p < n; p++)
                df_submit(pregel_flow, g, submitted, n, &g->part[p], g->matrix[(submitted + 1) % 2] + p,
                          g->matrix[submitted % 2] + (long)p * n, sums[(submitted + 2) % 3], add PREGEL_PASS);
        }
        const int64_t *done = sums[step % 3];
        df_wait_on(done, sizeof sums[0]);
        *sent += done[PREGEL_SENT];
        if (done[PREGEL_AWAKE] == 0 && done[PREGEL_SENT] == 0)
            break;   /* those of the next superstep find nothing to do */
    }
    df_wait();
    return step + 1;
}

/* --- by sharing --------------------------------------------------------------------------------------- */

/* In an atomic block: part p has work in the next superstep. */
static inline void pregel_wake(pregel_job *g, int next, int p)
{
    pregel_mail *mail = &g->mail[next][p];
    if (!df_tm_read(&mail->ready)) {
        long n = df_tm_read(&g->readies[next]);
        df_tm_write(&mail->ready, 1);
        df_tm_write(&g->ready[next][n], p);
        df_tm_write(&g->readies[next], n + 1);
    }
}

static void pregel_deliver(pregel_job *g, int next, pregel_box *b, int to)
{
    pregel_mail *mail = &g->mail[next][to];
    DF_ATOMIC {
        b->next = df_tm_read(&mail->boxes);   /* the box is still ours: if not this time, then the next */
        df_tm_write(&mail->boxes, b);
        pregel_wake(g, next, to);
    }
}

/* A row of boxes that no other task writes or reads in this superstep. NULL: no memory. */
static pregel_row *pregel_take_row(pregel_job *g, int now)
{
    long k = 0;
    DF_ATOMIC {
        k = df_tm_read(&g->rows[now]);
        df_tm_write(&g->rows[now], k + 1);
    }
    pregel_row *row = &g->row[now][k];
    if (!row->box && !(row->box = (pregel_box *)calloc((size_t)g->parts, sizeof *row->box))) {
        df_fail(DF_ERROR_MEMORY, "no memory for boxes");
        return NULL;
    }
    pregel_empty(row);
    return row;
}

DF_STATIC_LOOP(pregel_share, (pregel_job *, g), (long, step), df_in(int64_t, sums, PREGEL_COUNTS),
               df_reduce(df_sum, int64_t, add, PREGEL_COUNTS) PREGEL_TOTALS);
static void pregel_share(long begin, long end, pregel_job *g, long step, const int64_t *sums,
                         int64_t *add PREGEL_PARAMETERS)
{
    int now = (int)(step % 2), next = !now;
    pregel_row *row = pregel_take_row(g, now);
    for (long i = begin; row && i < end; i++) {
        int id = g->ready[now][i];
        pregel_part *p = &g->part[id];
        pregel_mail *mail = &g->mail[now][id];
#ifdef PREGEL_CHANGES
        for (const pregel_box *b = mail->boxes; b; b = b->next)
            pregel_gather(p, b);
        pregel_enter(g, p);
#endif
        for (const pregel_box *b = mail->boxes; b; b = b->next)
            pregel_receive(g, p, b);
#ifdef PREGEL_LIST
        if (pregel_arrange(g, p))
            for (const pregel_box *b = mail->boxes; b; b = b->next)
                pregel_place(g, p, b);
#endif
        mail->boxes = NULL;
        mail->ready = 0;
        pregel_visit(g, p, PREGEL_VERTEX);
        if (p->visits > 0)
            DF_ATOMIC { pregel_wake(g, next, id); }
    }
    for (pregel_box *b = row ? row->sent : NULL; b; b = b->sent)
        pregel_deliver(g, next, b, (int)(b - row->box));
    add[PREGEL_SENT] += row ? pregel_letters(row) : 0;
}

/* Returns the number of supersteps. */
static long pregel_by_sharing(pregel_job *g, int64_t *sent)
{
    int64_t sums[2][PREGEL_COUNTS] = { { 0 } };
    long step = 0;
#ifdef PREGEL_TOTAL
    static const PREGEL_TOTAL none = PREGEL_TOTAL_NONE;
    PREGEL_TOTAL total[2] = { none, none };
#undef PREGEL_PASS
#define PREGEL_PASS , &total[(step + 1) % 2], &total[step % 2]
#endif
    sums[1][PREGEL_AWAKE] = g->graph->vertices;
    for (int p = 0; p < g->parts; p++)
        pregel_wake(g, 0, p);
    for (; g->readies[step % 2] > 0 && !df_cancelled(); step++) {
        int64_t *add = sums[step % 2];
        const int64_t *last = sums[(step + 1) % 2];
        long ready = g->readies[step % 2];
        long grain = last[PREGEL_AWAKE] + last[PREGEL_SENT] < PREGEL_SMALL ? ready : 1 + ready / (8 * df_workers());
        for (int i = 0; i < PREGEL_COUNTS; i++)
            add[i] = 0;
#ifdef PREGEL_TOTAL
        total[step % 2] = none;
#endif
        df_for_with(DF_LOOP_OPTS(.grain = grain), pregel_share, 0, ready, g, step, last, add PREGEL_PASS);
        g->readies[step % 2] = g->rows[(step + 1) % 2] = 0;
        *sent += add[PREGEL_SENT];
    }
    return step;
}

#undef PREGEL_TOTALS
#undef PREGEL_PARAMETERS
#undef PREGEL_MEMBERS
#undef PREGEL_GRAPH
#undef PREGEL_VERTEX
#undef PREGEL_PASS

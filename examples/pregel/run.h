/* Memory of a computation, and pregel_run. Part of pregel.h. */

static void pregel_free_boxes(pregel_box *b, long n)
{
    for (long i = 0; b && i < n; i++) {
        free(b[i].at);
#ifdef PREGEL_CHANGES
        free(b[i].change);
#endif
    }
    free(b);
}

static void pregel_free(pregel_job *g)
{
    for (int m = 0; m < 2; m++) {
        pregel_free_boxes(g->matrix[m], (long)g->parts * g->parts);
        for (int i = 0; g->row[m] && !g->matrix[m] && i < g->parts; i++)
            pregel_free_boxes(g->row[m][i].box, g->parts);
        free(g->row[m]);
        free(g->mail[m]);
        free(g->ready[m]);
    }
#ifdef PREGEL_LIST
    for (int i = 0; g->part && i < g->parts; i++)
        free(g->part[i].inbox);
    free(g->count);
    free(g->place);
#else
    free(g->message);
#endif
#ifdef PREGEL_CHANGES
    for (int i = 0; g->part && i < g->parts; i++)
        free(g->part[i].change);
    for (long v = 0; g->own && v < g->ids; v++)
        if (g->own[v].room > 0)
            free((void *)(uintptr_t)g->own[v].edge);
    free(g->own);
#endif
    free(g->part);
    free(g->listed);
    free(g->list);
}

/* 0: no memory. */
static int pregel_new(pregel_job *g, const graph *of, long ids, int parts, PREGEL_VALUE *value, const void *context)
{
    size_t n = (size_t)ids, p;
    *g = (pregel_job){ .graph = of, .context = context, .ids = ids, .value = value };
    while (((ids - 1) >> g->shift) + 1 > parts)
        g->shift++;
    g->parts = (int)((ids - 1) >> g->shift) + 1;
    p = (size_t)g->parts;
    g->part = (pregel_part *)calloc(p, sizeof *g->part);
    g->listed = (unsigned char *)calloc(n, 1);
    g->list = (int32_t *)malloc((n + p) * sizeof *g->list);
    int done = g->part && g->listed && g->list;
#ifdef PREGEL_LIST
    g->count = (int32_t *)calloc(n, sizeof *g->count);
    g->place = (size_t *)malloc(n * sizeof *g->place);
    done = done && g->count && g->place;
#else
    g->message = (PREGEL_MESSAGE *)malloc(n * sizeof *g->message);
    done = done && g->message;
#endif
#ifdef PREGEL_CHANGES
    g->own = (pregel_own *)calloc(n, sizeof *g->own);
    done = done && g->own;
#endif
    for (int m = 0; m < 2; m++) {
        g->row[m] = (pregel_row *)calloc(p, sizeof *g->row[m]);
        g->mail[m] = (pregel_mail *)calloc(p, sizeof *g->mail[m]);
        g->ready[m] = (int *)calloc(p, sizeof *g->ready[m]);
        done = done && g->row[m] && g->mail[m] && g->ready[m];
    }
    for (long v = 0; done && v < ids; v++) {
        pregel_part *part = &g->part[v >> g->shift];
        if (!part->list)
            part->list = g->list + v + (v >> g->shift);
#ifndef PREGEL_LIST
        g->message[v] = PREGEL_NONE;
#endif
        if (v >= of->vertices)
            continue;
        part->list[part->visits++] = (int32_t)v;
        g->listed[v] = 1;
#ifdef PREGEL_CHANGES
        g->own[v] = (pregel_own){ of->edge + of->first[v], of->first[v + 1] - of->first[v], 0 };
#endif
    }
    return done;
}

#ifdef PREGEL_CHANGES
/* Runs the program on a graph that it changes. Vertices are added with IDs up to most - 1, most being at least those of
 * the graph. value, of `most` elements: the value of each vertex is left there. exists, of `most` elements, 1 where a
 * vertex exists in the end. left: the graph in the end, with `most` vertices, to be freed; or NULL.
 * Errors: DF_ERROR_MEMORY, PREGEL_NO_VERTEX: there is no result. */
static df_result pregel_run(const graph *of, long most, graph *left, unsigned char *exists, PREGEL_VALUE *value,
                            const void *context, pregel_way way, pregel_effort *effort)
{
    pregel_job g;
    df_result error = DF_ERROR_MEMORY;
    if (pregel_new(&g, of, most, way.parts, value, context)) {
        g.exists = exists;
        for (long v = 0; v < most; v++)
            exists[v] = v < of->vertices;
        effort->messages = 0;
        effort->supersteps = (way.by_sharing ? pregel_by_sharing : pregel_by_dataflow)(&g, &effort->messages);
        error = df_wait_result();
        if (error == DF_OK && left && !pregel_leave(&g, left))
            error = DF_ERROR_MEMORY;
    }
    pregel_free(&g);
    return error;
}
#else
/* Runs the program on a graph. value[v] is left in value. Errors: DF_ERROR_MEMORY: there is no result. */
static df_result pregel_run(const graph *of, PREGEL_VALUE *value, const void *context, pregel_way way,
                            pregel_effort *effort)
{
    pregel_job g;
    df_result error = DF_ERROR_MEMORY;
    if (pregel_new(&g, of, of->vertices, way.parts, value, context)) {
        effort->messages = 0;
        effort->supersteps = (way.by_sharing ? pregel_by_sharing : pregel_by_dataflow)(&g, &effort->messages);
        error = df_wait_result();
    }
    pregel_free(&g);
    return error;
}
#endif

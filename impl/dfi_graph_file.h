/* dfi_graph_file.h - the file of DF_GRAPH: opened when df starts, written when it stops and at the end of the process
 *
 * It is open all the time in between, and locked where the system can do that: a file that cannot be written is reported before
 * the work, a second program with the same file, also one that this one starts, leaves it alone, and a new working
 * directory does no harm. */
#ifndef DFI_GRAPH_FILE_H
#define DFI_GRAPH_FILE_H

#include <errno.h>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>

/* Nobody else writes the file. It is empty then. 0, 1: another program has it, -1: errno says. */
static int dfi_graph_open_file(struct dfi_graph *g)
{
    struct flock lock;
    int turn, fd;
    if ((g->fd = open(g->file, O_RDWR | O_CREAT, 0666)) < 0) return -1;
    fcntl(g->fd, F_SETFD, FD_CLOEXEC);
    for (turn = 0; turn < 2; turn++) {
        memset((void *)&lock, 0, sizeof lock);
        lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
        if (fcntl(g->fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN)) { /* else: there are no locks here */
            close(g->fd);
            return 1;
        }
        if (turn) return 0;
        if ((fd = open(g->file, O_WRONLY | O_TRUNC)) < 0 || close(fd)) return -1; /* this also takes the lock away: once more */
    }
    return 0;
}

static int dfi_graph_rewind(struct dfi_graph *g) { return g->fd >= 0 && lseek(g->fd, 0, SEEK_SET) == (off_t)-1 && errno != ESPIPE; }

static int dfi_graph_put(struct dfi_graph *g, const char *p, size_t n)
{
    if (g->fd < 0) return fwrite(p, 1, n, stdout) != n || fflush(stdout);
    while (n) {
        ssize_t done = write(g->fd, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 1;
        p += done, n -= (size_t)done;
    }
    return 0;
}

static void dfi_graph_close_file(struct dfi_graph *g)
{
    if (g->fd >= 0) close(g->fd);
}

#else
static FILE *dfi_graph_stream;
static int dfi_graph_open_file(struct dfi_graph *g)
{
    dfi_graph_stream = fopen(g->file, "wb");
    g->fd = 0;
    return dfi_graph_stream ? 0 : -1;
}
static int dfi_graph_rewind(struct dfi_graph *g)
{
    return g->fd >= 0 && fseek(dfi_graph_stream, 0, SEEK_SET);
}
static int dfi_graph_put(struct dfi_graph *g, const char *p, size_t n)
{
    FILE *to = g->fd < 0 ? stdout : dfi_graph_stream;
    return fwrite(p, 1, n, to) != n || fflush(to);
}
static void dfi_graph_close_file(struct dfi_graph *g)
{
    if (g->fd >= 0) fclose(dfi_graph_stream);
}
#endif

static int dfi_graph_ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

/* --- begin and end ------------------------------------------------------------------------------------------- */

static long dfi_graph_depth(long given)
{
    const char *text = getenv("DF_GRAPH_DEPTH"), *p = text;
    long v = 0;
    if (given < 0) dfi_log(DFI_LOG_BAD_CONFIG, "graph_depth", given, "a number of levels from 1");
    if (given > 0) return given;
    if (!text || !*text) return 0;
    while (*p >= '0' && *p <= '9' && v < 100000000) v = 10 * v + (*p++ - '0');
    if (!*p && v > 0) return v;
    dfi_log(DFI_LOG_BAD_ENV, "DF_GRAPH_DEPTH", text, "a number of levels from 1");
    return 0;
}

static void dfi_graph_free(struct dfi_graph *g)
{
    while (g->chunks) {
        struct dfi_g_chunk *c = g->chunks;
        g->chunks = c->next;
        dfi_mfree(c);
    }
    dfi_mfree(g->file);
    dfi_mfree(g);
}

static struct dfi_graph *dfi_graph_new(const char *name, const char *variable, long depth)
{
    struct dfi_graph *g = (struct dfi_graph *)dfi_malloc(sizeof *g);
    char *file = (char *)dfi_malloc(strlen(name) + 1);
    int r;
    if (!g || !file) {
        dfi_mfree(g), dfi_mfree(file);
        dfi_log(DFI_LOG_GRAPH_MEMORY, variable, name);
        return NULL;
    }
    memset((void *)g, 0, sizeof *g);
    g->file = strcpy(file, name), g->variable = variable;
    g->process = dfi_process();
    g->depth = dfi_graph_depth(depth);
    g->on = g->changed = 1;
    g->fd = -1;
    r = !strcmp(name, "-.txt") || !strcmp(name, "-.dot") ? 0 : dfi_graph_open_file(g);
    if (!r) return g;
    if (r > 0) dfi_log(DFI_LOG_GRAPH_BUSY, variable, name);
    else dfi_log(DFI_LOG_GRAPH_WRITE, variable, name, strerror(errno));
    dfi_graph_free(g);
    return NULL;
}

static char dfi_graph_module;
static void dfi_graph_unlink(void);

/* Nobody records any more. */
static void dfi_graph_forget(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    if (!g) return;
    DFI_GRAPH_SET(NULL);
    dfi_graph_close_file(g);
    dfi_graph_free(g);
}

/* df starts. name: of df_config.graph, or NULL: of the environment. What was recorded before for the same file, or when df was
 * started by nothing but its use, stays. pre: no other thread uses df, or is inside of this. */
static void dfi_graph_begin(const char *name, int depth)
{
    const char *variable = "df_config.graph";
    struct dfi_graph *g = DFI_GRAPH();
    if (!name) name = getenv("DF_GRAPH"), variable = "DF_GRAPH";
    if (g && (!name || !strcmp(name, g->file) || g->process != dfi_process())) return;
    if (g) {
        dfi_graph_forget();
        dfi_graph_unlink();
    }
    if (!name || !*name) return;
    if (!dfi_graph_ends_in(name, ".dot") && !dfi_graph_ends_in(name, ".txt")) {
        dfi_log(DFI_LOG_BAD_ENV, variable, name, "the name of a file that ends in .dot or .txt");
        return;
    }
    if ((g = dfi_graph_new(name, variable, depth)) != NULL) g->module = &dfi_graph_module;
    DFI_GRAPH_SET(g);
}

/* Writes what there is so far. Threads: any, while others go on recording. */
static void dfi_graph_end(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    int r, dot;
    if (!g) return;
    dfi_graph_lock();
    if (g->process == dfi_process() && !g->broken && g->changed) {
        dot = dfi_graph_ends_in(g->file, ".dot");
        g->changed = 0;
        errno = 0;
        r = dfi_graph_rewind(g) ? 1 : dfi_graph_write(g, dfi_graph_put, dot);
        if (r < 0 && !g->incomplete) { /* again, with a head that says so */
            g->incomplete = 1;
            r = dfi_graph_rewind(g) ? 1 : dfi_graph_write(g, dfi_graph_put, dot);
        }
        if (r > 0) {
            dfi_log(DFI_LOG_GRAPH_WRITE, g->variable, g->file, strerror(errno));
            g->on = 0, g->broken = 1;
        } else if (g->incomplete) dfi_log(DFI_LOG_GRAPH_MEMORY, g->variable, g->file);
    }
    dfi_graph_unlock();
}

#endif

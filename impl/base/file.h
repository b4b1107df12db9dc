/* file.h - output files: opened when df starts, locked against other programs, open until the end
 *
 * A file that cannot be written is therefore reported before the work begins. A second program with the same file,
 * even a child of this one, does not write to it, and a change of the working directory has no effect. */
#ifndef DFI_BASE_FILE_H
#define DFI_BASE_FILE_H

#include "env.h"
#include "path.h"

#include <errno.h>
#include <stdio.h>
#if DFI_UNIX
#include <fcntl.h>
#include <unistd.h>

DFI_SMALL_CODE_BEGIN

/* The calling process: after a fork, the file belongs to the parent only. */
static long dfi_process(void) { return (long)getpid(); }

struct dfi_output { int fd; };

/* Opens, locks and truncates the file. Returns 0; 1: another program has locked it; -1: the reason is in *why. */
static int dfi_output_open(struct dfi_output *f, const char *name, const char **why)
{
    struct flock lock;
    struct stat s;
    if ((f->fd = dfi_open_write(name, why)) < 0) return -1;
    memset((void *)&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
    /* other errors: the file system has no locks */
    if (fcntl(f->fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN)) {
        close(f->fd);
        return 1;
    }
    if (fstat(f->fd, &s) || !S_ISREG(s.st_mode) || !dfi_sys_truncate(f->fd, 0)) return 0;
    *why = strerror(errno);
    close(f->fd);
    return -1;
}

/* Sets the offset of the next write to `at` bytes. A pipe cannot seek and is written sequentially. 0, or 1 with
 * errno. */
static int dfi_output_seek(struct dfi_output *f, size_t at)
{
    return lseek(f->fd, (off_t)at, SEEK_SET) == (off_t)-1 && errno != ESPIPE;
}

/* Writes all n bytes without a buffer. 0, or 1 with errno. */
static int dfi_output_put(struct dfi_output *f, const char *p, size_t n)
{
    struct dfi_hush h;
    int failed = 0;
    dfi_hush_begin(&h);
    while (n && !failed) {
        ssize_t done = write(f->fd, p, n);
        if (done > 0) p += done, n -= (size_t)done;
        else failed = done == 0 || errno != EINTR;
    }
    dfi_hush_end(&h, failed);
    return failed;
}

static void dfi_output_close(struct dfi_output *f) { close(f->fd); }

/* Is stderr a terminal whose lines can be rewritten? kind: the variable TERM */
DFI_UNUSED static int dfi_output_terminal(const char *kind)
{
    return kind && *kind && strcmp(kind, "dumb") != 0 && isatty(2);
}

DFI_SMALL_CODE_END

#else
static long dfi_process(void) { return 0; }

struct dfi_output { FILE *stream; };

static int dfi_output_open(struct dfi_output *f, const char *name, const char **why)
{
    f->stream = fopen(name, "wb");
    *why = strerror(errno);
    return f->stream ? 0 : -1;
}
static int dfi_output_seek(struct dfi_output *f, size_t at) { return fseek(f->stream, (long)at, SEEK_SET) != 0; }
static int dfi_output_put(struct dfi_output *f, const char *p, size_t n)
{
    return fwrite(p, 1, n, f->stream) != n || fflush(f->stream);
}
static void dfi_output_close(struct dfi_output *f) { fclose(f->stream); }
DFI_UNUSED static int dfi_output_terminal(const char *kind)
{
    (void)kind;
    return 0;
}
#endif

DFI_SMALL_CODE_BEGIN

/* Writes all n bytes to standard output. 0, or 1 with errno. */
static int dfi_output_standard(const char *p, size_t n)
{
    struct dfi_hush h;
    int failed;
    dfi_hush_begin(&h);
    failed = fwrite(p, 1, n, stdout) != n || fflush(stdout);
    dfi_hush_end(&h, failed);
    return failed;
}

/* Formats a time in the unit that leaves one to three digits before the point. pre: text has at least 16 bytes. */
static const char *dfi_time_text(char *text, double ns)
{
    static const char unit[][3] = { "ns", "us", "ms", "s" };
    int i = 0;
    while (i < 3 && ns >= 1000) ns /= 1000, i++;
    snprintf(text, 16, "%.*f %s", ns >= 100 || (!i && ns >= 10) ? 0 : ns >= 10 ? 1 : 2, ns > 1e6 ? 1e6 : ns, unit[i]);
    return text;
}

/* The length in bytes of the UTF-8 character at p, 0: none. */
static unsigned dfi_utf8(const char *p)
{
    unsigned char c = (unsigned char)*p;
    unsigned n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0, i;
    for (i = 1; i < n; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80) return 0;
    if (n >= 3) { /* rejects overlong encodings, code points above U+10FFFF, and surrogates */
        unsigned char d = (unsigned char)p[1];
        if ((c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) || (c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f))
            return 0;
    }
    return n;
}

/* The length n of the character at p if it is a Unicode control character or line end, else 0. */
static unsigned dfi_utf8_control(const char *p, unsigned n)
{
    const unsigned char *c = (const unsigned char *)p;
    if (n == 1) return c[0] < ' ' || c[0] == 0x7f;
    if (n == 2) return c[0] == 0xc2 && c[1] < 0xa0 ? 2 : 0;
    return n == 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

/* Does the file name have that suffix, and a stem before it? */
static int dfi_ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

DFI_SMALL_CODE_END

/* --- names ------------------------------------------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

struct dfi_named_file { char text[1024]; };

/* The number of this process among those that a launcher of MPI, or SLURM, has started together; 0: it is alone. */
static long dfi_process_rank(void)
{
    static const char *const variable[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                                            "SLURM_PROCID" };
    long rank;
    size_t i;
    for (i = 0; i < sizeof variable / sizeof *variable; i++) {
        const char *text = dfi_env(variable[i]);
        if (text && !dfi_parse_number(text, &rank)) return rank;
    }
    return 0;
}

/* name with %p, the process, %r, its rank, and %% replaced; as it is if it has none of these, or is too long. */
static const char *dfi_file_named(const char *name, struct dfi_named_file *room)
{
    const char *from = name;
    size_t n = 0;
    if (!name || !strchr(name, '%')) return name;
    for (; *from && n < sizeof room->text - 24; from++) {
        const int what = *from == '%' ? from[1] : 0;
        if (what == 'p' || what == 'r')
            n += (size_t)snprintf(room->text + n, 24, "%ld", what == 'p' ? dfi_process() : dfi_process_rank());
        else room->text[n++] = *from;
        if (what == 'p' || what == 'r' || what == '%') from++;
    }
    room->text[n] = 0;
    return *from ? name : room->text;
}

DFI_SMALL_CODE_END

#endif

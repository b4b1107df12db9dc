/* file.h - a file that df writes while a program runs: opened when df starts, locked against other programs, open until the end
 *
 * So a file that cannot be written is reported before the work, a second program with the same file, also one that this one
 * starts, leaves it alone, and a new working directory does no harm. */
#ifndef DFI_BASE_FILE_H
#define DFI_BASE_FILE_H

#include "path.h"

#include <errno.h>
#include <stdio.h>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <unistd.h>

/* The file of the child of a fork is its parent's. */
static long dfi_process(void) { return (long)getpid(); }

struct dfi_output { int fd; };

/* Nobody else writes the file. It is empty then. 0, 1: another program has it, -1: *why. */
static int dfi_output_open(struct dfi_output *f, const char *name, const char **why)
{
    struct flock lock;
    struct stat s;
    if ((f->fd = dfi_open_write(name, why)) < 0) return -1;
    memset((void *)&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
    if (fcntl(f->fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN)) { /* else: there are no locks here */
        close(f->fd);
        return 1;
    }
    if (fstat(f->fd, &s) || !S_ISREG(s.st_mode) || !dfi_sys_truncate(f->fd, 0)) return 0;
    *why = strerror(errno);
    close(f->fd);
    return -1;
}

/* What is written next goes `at` bytes behind the beginning; what cannot do that, as a pipe, goes on. 0, or 1: errno says. */
static int dfi_output_seek(struct dfi_output *f, size_t at) { return lseek(f->fd, (off_t)at, SEEK_SET) == (off_t)-1 && errno != ESPIPE; }

/* All n bytes, without a buffer. 0, or 1: errno says. */
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
static int dfi_output_put(struct dfi_output *f, const char *p, size_t n) { return fwrite(p, 1, n, f->stream) != n || fflush(f->stream); }
static void dfi_output_close(struct dfi_output *f) { fclose(f->stream); }
#endif

/* The same to standard output. */
static int dfi_output_standard(const char *p, size_t n)
{
    struct dfi_hush h;
    int failed;
    dfi_hush_begin(&h);
    failed = fwrite(p, 1, n, stdout) != n || fflush(stdout);
    dfi_hush_end(&h, failed);
    return failed;
}

/* A time in a unit in which it has one to three digits before the point. text: at least 16 bytes. */
static const char *dfi_time_text(char *text, double ns)
{
    static const char unit[][3] = { "ns", "us", "ms", "s" };
    int i = 0;
    while (i < 3 && ns >= 1000) ns /= 1000, i++;
    snprintf(text, 16, "%.*f %s", ns >= 100 || (!i && ns >= 10) ? 0 : ns >= 10 ? 1 : 2, ns > 1e6 ? 1e6 : ns, unit[i]);
    return text;
}

/* Bytes of the character of UTF-8 at p; 0: there is none. */
static unsigned dfi_utf8(const char *p)
{
    unsigned char c = (unsigned char)*p;
    unsigned n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0, i;
    for (i = 1; i < n; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80) return 0;
    if (n >= 3) { /* neither longer than it has to be nor beyond the last one, nor half of a pair */
        unsigned char d = (unsigned char)p[1];
        if ((c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) || (c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f))
            return 0;
    }
    return n;
}

/* Bytes of the control character or line end of Unicode at p, a character of n bytes; else 0. */
static unsigned dfi_utf8_control(const char *p, unsigned n)
{
    const unsigned char *c = (const unsigned char *)p;
    if (n == 1) return c[0] < ' ' || c[0] == 0x7f;
    if (n == 2) return c[0] == 0xc2 && c[1] < 0xa0 ? 2 : 0;
    return n == 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

/* Is it the name of a file with that ending, and more than the ending? */
static int dfi_ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

#endif

/* dfi_output.h - a file that df writes while a program runs: opened when df starts, locked against other programs, open until the end
 *
 * So a file that cannot be written is reported before the work, a second program with the same file, also one that this one
 * starts, leaves it alone, and a new working directory does no harm. */
#ifndef DFI_OUTPUT_H
#define DFI_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <unistd.h>

/* The file of the child of a fork is its parent's. */
static long dfi_process(void) { return (long)getpid(); }

struct dfi_output { int fd; };

/* Nobody else writes the file. It is empty then. 0, 1: another program has it, -1: errno says. */
static int dfi_output_open(struct dfi_output *f, const char *name)
{
    struct flock lock;
    int turn, fd;
    if ((f->fd = open(name, O_RDWR | O_CREAT, 0666)) < 0) return -1;
    fcntl(f->fd, F_SETFD, FD_CLOEXEC);
    for (turn = 0; turn < 2; turn++) {
        memset((void *)&lock, 0, sizeof lock);
        lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
        if (fcntl(f->fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN)) { /* else: there are no locks here */
            close(f->fd);
            return 1;
        }
        if (turn) return 0;
        if ((fd = open(name, O_WRONLY | O_TRUNC)) < 0 || close(fd)) { /* this also takes the lock away: once more */
            int why = errno;
            close(f->fd);
            errno = why;
            return -1;
        }
    }
    return 0;
}

/* What is written next goes `at` bytes behind the beginning; what cannot do that, as a pipe, goes on. 0, or 1: errno says. */
static int dfi_output_seek(struct dfi_output *f, size_t at) { return lseek(f->fd, (off_t)at, SEEK_SET) == (off_t)-1 && errno != ESPIPE; }

/* All n bytes, without a buffer. 0, or 1: errno says. */
static int dfi_output_put(struct dfi_output *f, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(f->fd, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 1;
        p += done, n -= (size_t)done;
    }
    return 0;
}

static void dfi_output_close(struct dfi_output *f) { close(f->fd); }

#else
static long dfi_process(void) { return 0; }

struct dfi_output { FILE *stream; };

static int dfi_output_open(struct dfi_output *f, const char *name) { return (f->stream = fopen(name, "wb")) ? 0 : -1; }
static int dfi_output_seek(struct dfi_output *f, size_t at) { return fseek(f->stream, (long)at, SEEK_SET) != 0; }
static int dfi_output_put(struct dfi_output *f, const char *p, size_t n) { return fwrite(p, 1, n, f->stream) != n || fflush(f->stream); }
static void dfi_output_close(struct dfi_output *f) { fclose(f->stream); }
#endif

/* A time in a unit in which it has one to three digits before the point. text: at least 16 bytes. */
static const char *dfi_time_text(char *text, double ns)
{
    static const char unit[][3] = { "ns", "us", "ms", "s" };
    int i = 0;
    while (i < 3 && ns >= 1000) ns /= 1000, i++;
    snprintf(text, 16, "%.*f %s", ns >= 100 || (!i && ns >= 10) ? 0 : ns >= 10 ? 1 : 2, ns > 1e6 ? 1e6 : ns, unit[i]);
    return text;
}

/* Is it the name of a file with that ending, and more than the ending? */
static int dfi_ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

#endif

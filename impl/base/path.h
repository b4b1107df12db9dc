/* path.h - opening files safely: symbolic links, shared folders, pipes, signals raised by writes
 *
 * A path is walked folder by folder. In a folder that another user can write to, such as /tmp, no symbolic link is
 * followed, and an existing file is written only if it belongs to the user and has no second name, because another
 * user may have put it there. New files are created exclusively, readable by their owner only. Opening never blocks:
 * a FIFO is opened without waiting, and refused.
 *
 * Standard C hides most of these functions. On Linux they are reached by their assembler names, as in os/linux.h. */
#ifndef DFI_BASE_PATH_H
#define DFI_BASE_PATH_H

#include "compiler.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <signal.h>

#if DFI_UNIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if DFI_LINUX
#if defined(__GLIBC__)
typedef long dfi_sys_off; /* the type that the function of this name takes, independent of off_t */
#else
typedef off_t dfi_sys_off;
#endif
extern int dfi_sys_openat(int folder, const char *name, int flags, ...) __asm__("openat");
extern ssize_t dfi_sys_readlink(int folder, const char *name, char *to, size_t bytes) __asm__("readlinkat");
extern int dfi_sys_truncate(int fd, dfi_sys_off bytes) __asm__("ftruncate");
extern FILE *dfi_sys_stream(int fd, const char *mode) __asm__("fdopen");
#if defined(O_CLOEXEC) && defined(O_DIRECTORY) && defined(O_NOFOLLOW)
enum { DFI_O_CLOEXEC = O_CLOEXEC, DFI_O_NOFOLLOW = O_NOFOLLOW, DFI_O_DIRECTORY = O_DIRECTORY };
#else
enum { DFI_O_CLOEXEC = __O_CLOEXEC, DFI_O_NOFOLLOW = __O_NOFOLLOW, DFI_O_DIRECTORY = __O_DIRECTORY };
#endif
#if defined(O_PATH)
enum { DFI_O_PATH = O_PATH }; /* for a folder that can be searched, but not listed */
#elif defined(__O_PATH)
enum { DFI_O_PATH = __O_PATH };
#else
enum { DFI_O_PATH = O_RDONLY };
#endif
#if defined(__O_LARGEFILE)
enum { DFI_O_LARGE = sizeof(off_t) > sizeof(long) ? __O_LARGEFILE : 0 };
#else
enum { DFI_O_LARGE = 0 };
#endif
#else
#define dfi_sys_openat openat
#define dfi_sys_readlink readlinkat
#define dfi_sys_truncate ftruncate
#define dfi_sys_stream fdopen
enum { DFI_O_CLOEXEC = O_CLOEXEC, DFI_O_NOFOLLOW = O_NOFOLLOW, DFI_O_DIRECTORY = O_DIRECTORY, DFI_O_LARGE = 0 };
#if defined(O_SEARCH)
enum { DFI_O_PATH = O_SEARCH };
#else
enum { DFI_O_PATH = O_RDONLY };
#endif
#endif

static const char dfi_path_kind[] = "it is neither a regular file nor a terminal";
static const char dfi_path_others[] = "its folder does not belong to the user, or others can write to it";

DFI_SMALL_CODE_BEGIN

/* --- folders ------------------------------------------------------------------------------------------------ */

static void dfi_close_quietly(int fd)
{
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
}

/* Can a user write to the folder who is neither the user of this process nor root? */
static int dfi_folder_exposed(int folder)
{
    struct stat s;
    return fstat(folder, &s) || (s.st_mode & 022) || (s.st_uid != 0 && s.st_uid != geteuid());
}

/* Does the folder belong to the user, and can nobody else write to it? */
static DFI_UNUSED int dfi_folder_own(int folder)
{
    struct stat s;
    return !dfi_folder_exposed(folder) && !fstat(folder, &s) && s.st_uid == geteuid();
}

/* Opens a file. The descriptor is never 0, 1 or 2, because a program that has closed these may still write to them.
 * -1 with errno: ELOOP: it is a symbolic link in an exposed folder. */
static int dfi_open_at(int folder, const char *name, int flags)
{
    int links = dfi_folder_exposed(folder) ? DFI_O_NOFOLLOW : 0, higher;
    int fd = dfi_sys_openat(folder, name, flags | links | DFI_O_CLOEXEC | DFI_O_LARGE, 0600);
    if (fd < 0 && links) { /* systems do not agree on the error */
        char first;
        int why = errno;
        errno = dfi_sys_readlink(folder, name, &first, 1) >= 0 ? ELOOP : why;
    }
    if (fd < 0 || fd > 2) return fd;
    if ((higher = fcntl(fd, F_DUPFD, 3)) >= 0) fcntl(higher, F_SETFD, FD_CLOEXEC);
    dfi_close_quietly(fd);
    return higher;
}

/* Opens the folder of a path, and sets *leaf to the file name. -1 with errno. */
static int dfi_folder_of(const char *path, const char **leaf)
{
    int folder = open(*path == '/' ? "/" : ".", (int)DFI_O_PATH | DFI_O_DIRECTORY | DFI_O_CLOEXEC);
    while (folder >= 0) {
        char part[256];
        const char *end;
        size_t n;
        int next = -1;
        while (*path == '/') path++;
        if (!(end = strchr(path, '/'))) break;
        if ((n = (size_t)(end - path)) < sizeof part) {
            memcpy(part, path, n), part[n] = 0;
            next = dfi_open_at(folder, part, (int)DFI_O_PATH | DFI_O_DIRECTORY);
        } else errno = ENAMETOOLONG;
        dfi_close_quietly(folder);
        folder = next, path = end;
    }
    *leaf = path;
    return folder;
}

/* --- files -------------------------------------------------------------------------------------------------- */

/* A duplicate of the program's own standard output or error if that is this pipe, which then has or had a reader. -1:
 * it is not. */
static int dfi_own_pipe(const struct stat *pipe)
{
    struct stat s;
    int fd;
    for (fd = 1; fd <= 2; fd++)
        if (!fstat(fd, &s) && s.st_dev == pipe->st_dev && s.st_ino == pipe->st_ino) {
            if ((fd = fcntl(fd, F_DUPFD, 3)) >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
            return fd;
        }
    return -1;
}

static const char *dfi_open_why(void)
{
    if (errno == ENXIO) return dfi_path_kind; /* a FIFO without a reader, or a socket */
    return errno == ELOOP ? "a symbolic link is on its path, in a folder that another user can write to"
                          : strerror(errno);
}

/* Opens a file for writing and keeps its contents. -1: the reason is in *why. */
static int dfi_open_write(const char *path, const char **why)
{
    const char *leaf;
    struct stat s;
    int folder = dfi_folder_of(path, &leaf), fd = -1, turn;
    *why = NULL;
    /* more than one turn, because another program may create or remove the file between the two calls */
    for (turn = 0; folder >= 0 && turn < 8; turn++) {
        if ((fd = dfi_open_at(folder, leaf, O_WRONLY | O_NONBLOCK | O_NOCTTY)) >= 0 || errno != ENOENT) break;
        if ((fd = dfi_open_at(folder, leaf, O_WRONLY | O_CREAT | O_EXCL)) >= 0 || errno != EEXIST) break;
    }
    if (fd < 0) *why = dfi_open_why();
    else if (fstat(fd, &s) || !(S_ISREG(s.st_mode) || S_ISCHR(s.st_mode))) {
        close(fd);
        if (!S_ISFIFO(s.st_mode) || (fd = dfi_own_pipe(&s)) < 0) fd = -1, *why = dfi_path_kind;
    } else if (S_ISREG(s.st_mode) && dfi_folder_exposed(folder) && (s.st_uid != geteuid() || s.st_nlink != 1)) {
        close(fd);
        fd = -1, *why = "another user can write to its folder, and it belongs to another user or has a second name";
    } else if ((turn = fcntl(fd, F_GETFL)) >= 0 && turn & O_NONBLOCK) fcntl(fd, F_SETFL, turn & ~O_NONBLOCK);
    dfi_close_quietly(folder);
    return fd;
}

/* Opens a regular file for reading. own: only in a folder that belongs to the user and that nobody else can write to.
 * NULL: the reason is in *why, or *why is NULL if the file does not exist. */
static DFI_UNUSED FILE *dfi_open_read(const char *path, int own, const char **why)
{
    const char *leaf;
    struct stat s;
    int folder = dfi_folder_of(path, &leaf), fd;
    FILE *f = NULL;
    *why = NULL;
    if (own && folder >= 0 && !dfi_folder_own(folder)) *why = dfi_path_others;
    else if (folder < 0 || (fd = dfi_open_at(folder, leaf, O_RDONLY | O_NONBLOCK | O_NOCTTY)) < 0)
        *why = errno == ENOENT ? NULL : dfi_open_why();
    else {
        if (fstat(fd, &s) || !S_ISREG(s.st_mode)) *why = "it is not a regular file";
        else if (!(f = dfi_sys_stream(fd, "rb"))) *why = strerror(errno);
        if (!f) close(fd);
    }
    dfi_close_quietly(folder);
    return f;
}

DFI_SMALL_CODE_END
#else
static DFI_UNUSED FILE *dfi_open_read(const char *path, int own, const char **why)
{
    FILE *f = fopen(path, "rb");
    (void)own;
    *why = f || errno == ENOENT ? NULL : strerror(errno);
    return f;
}
#endif

/* --- signals raised by writes --------------------------------------------------------------------------------- */

/* A write beyond RLIMIT_FSIZE or into a pipe without a reader sends SIGXFSZ or SIGPIPE to the thread, which ends the
 * program by default. df blocks both signals during a write, and discards one that the write raised. */
#if defined(DFI_SIGNALS_LINUX)
struct dfi_hush { struct dfi_signals before; unsigned long pending; };

static void dfi_hush_begin(struct dfi_hush *h)
{
    struct dfi_signals s;
    memset((void *)&s, 0, sizeof s);
    s.bits[0] = DFI_SYS_SIGNALS;
    dfi_sys_mask(DFI_SYS_BLOCK, &s, &h->before);
    h->pending = 0;
    if (h->before.bits[0] & DFI_SYS_SIGNALS && !dfi_sys_pending(&s))
        h->pending = s.bits[0]; /* signals of the program: they stay pending */
}

/* failed: the write failed, so a signal may be pending. Preserves errno. */
static void dfi_hush_end(struct dfi_hush *h, int failed)
{
    static const struct dfi_no_time now = { { 0, 0, 0, 0 } };
    struct dfi_signals s;
    int why = errno;
    memset((void *)&s, 0, sizeof s);
    s.bits[0] = DFI_SYS_SIGNALS & ~h->pending;
    if (failed && s.bits[0])
        while (dfi_sys_take(&s, NULL, &now) > 0) {}
    dfi_sys_mask(DFI_SYS_SETMASK, &h->before, NULL);
    errno = why;
}
#elif defined(SIGXFSZ) && defined(SIG_BLOCK)
struct dfi_hush { sigset_t before, pending; };
static void dfi_hush_begin(struct dfi_hush *h)
{
    sigset_t s;
    sigemptyset(&s), sigaddset(&s, SIGXFSZ), sigaddset(&s, SIGPIPE);
    sigpending(&h->pending);
    sigprocmask(SIG_BLOCK, &s, &h->before);
}
static void dfi_hush_end(struct dfi_hush *h, int failed)
{
    static const int number[] = { SIGXFSZ, SIGPIPE };
    sigset_t s, one;
    int why = errno, i, got;
    for (i = 0; failed && i < 2; i++) {
        sigemptyset(&one), sigaddset(&one, number[i]);
        if (!sigismember(&h->pending, number[i]) && !sigpending(&s) && sigismember(&s, number[i])) sigwait(&one, &got);
    }
    sigprocmask(SIG_SETMASK, &h->before, NULL);
    errno = why;
}
#else
struct dfi_hush { int unused; };
static void dfi_hush_begin(struct dfi_hush *h) { h->unused = 0; }
static void dfi_hush_end(struct dfi_hush *h, int failed) { (void)h, (void)failed; }
#endif

#endif

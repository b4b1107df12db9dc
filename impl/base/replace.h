/* replace.h - atomic replacement of whole files: write a temporary file in the same folder, then rename it
 *
 * No program ever reads a half-written file. The folder must belong to the user, and nobody else may be able to write
 * to it: a user with write access would choose the contents that the next run reads, and a compiled kernel is code. */
#ifndef DFI_BASE_REPLACE_H
#define DFI_BASE_REPLACE_H

#include "path.h"

#if DFI_UNIX
#if DFI_LINUX
extern int dfi_sys_renameat(int folder, const char *name, int to_folder, const char *to) __asm__("renameat");
extern int dfi_sys_unlinkat(int folder, const char *name, int flags) __asm__("unlinkat");
extern int dfi_sys_chmod(int fd, mode_t mode) __asm__("fchmod");
#else
#define dfi_sys_renameat renameat
#define dfi_sys_unlinkat unlinkat
#define dfi_sys_chmod fchmod
#endif

struct dfi_replaced { FILE *f; int folder; char name[80]; };

/* Begins a temporary file in the folder of `path`; the folder has to satisfy dfi_folder_own. NULL: the reason is in
 * *why. */
static FILE *dfi_replace(struct dfi_replaced *r, const char *path, const char **why)
{
    const char *leaf;
    struct stat s;
    int fd = -1, turn;
    r->f = NULL, *why = NULL;
    r->folder = dfi_folder_of(path, &leaf);
    if (r->folder >= 0 && !dfi_folder_own(r->folder)) *why = dfi_path_others;
    for (turn = 0; r->folder >= 0 && !*why && turn < 100; turn++) { /* like mkstemp, but relative to an open folder */
        snprintf(r->name, sizeof r->name, ".df-%ld-%lx-%d.tmp", (long)getpid(), (unsigned long)(uintptr_t)&fd, turn);
        if ((fd = dfi_open_at(r->folder, r->name, O_WRONLY | O_CREAT | O_EXCL)) >= 0 || errno != EEXIST) break;
    }
    if (fd >= 0) {
        int old = dfi_open_at(r->folder, leaf, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        /* the mode of the old file */
        if (old >= 0 && !fstat(old, &s) && S_ISREG(s.st_mode)) dfi_sys_chmod(fd, s.st_mode & 0777);
        dfi_close_quietly(old);
        if ((r->f = dfi_sys_stream(fd, "wb")) != NULL) return r->f;
        dfi_sys_unlinkat(r->folder, r->name, 0);
        close(fd);
    }
    if (!*why) *why = strerror(errno);
    dfi_close_quietly(r->folder);
    return NULL;
}

/* Closes the temporary file and renames it to `path`, or removes it if `failed`. Nonzero: the file was not replaced. */
static int dfi_replace_end(struct dfi_replaced *r, const char *path, int failed)
{
    const char *slash = strrchr(path, '/');
    failed |= fclose(r->f) != 0;
    if (failed || dfi_sys_renameat(r->folder, r->name, r->folder, slash ? slash + 1 : path)) {
        dfi_sys_unlinkat(r->folder, r->name, 0);
        failed = 1;
    }
    close(r->folder);
    return failed;
}

#else
struct dfi_replaced { FILE *f; char name[400]; };
static FILE *dfi_replace(struct dfi_replaced *r, const char *path, const char **why)
{
    r->f = snprintf(r->name, sizeof r->name, "%s.df.tmp", path) < (int)sizeof r->name ? fopen(r->name, "wb") : NULL;
    *why = r->f ? NULL : strerror(errno);
    return r->f;
}
static int dfi_replace_end(struct dfi_replaced *r, const char *path, int failed)
{
    failed |= fclose(r->f) != 0;
    if (!failed) remove(path); /* rename does not replace an existing file there */
    if (!failed && !rename(r->name, path)) return 0;
    remove(r->name);
    return 1;
}
#endif

#endif

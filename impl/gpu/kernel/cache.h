/* cache.h - compiled kernels on disk: DF_KERNEL_CACHE=folder
 *
 * There is one file per kernel, named by a hash of everything that its compilation depends on; the caller adds that to
 * a key. Files are replaced as a whole (base/replace.h); a damaged file is ignored. The folder must belong to the user,
 * and nobody else may write to it. If anything fails, kernels are compiled, and one warning is logged.
 * Threads: any. */
#ifndef DFI_GPU_KERNEL_CACHE_H
#define DFI_GPU_KERNEL_CACHE_H

#include "../../base/atomic.h"
#include "../../base/env.h"
#include "../../base/hash.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../base/path.h"
#include "../../base/replace.h"

#include <errno.h>

#if defined(DF_USE_OPENCL) || defined(DF_USE_CUDA)

enum { DFI_CACHE_MOST = 1 << 28 }; /* bytes of a file: a larger one is not one of ours */

struct dfi_cache_key { uint64_t h[2]; };

/* FNV-1a, twice with different starts and, for the second, inverted bytes: 128 bits, because the hashed data itself
 * is never compared. */
static void dfi_cache_hash(struct dfi_cache_key *k, const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    k->h[0] = dfi_hash(k->h[0], p, n);
    for (i = 0; i < n; i++) {
        k->h[1] = (k->h[1] ^ (b[i] ^ 0xffu)) * 0x100000001B3u;
        k->h[1] ^= k->h[1] >> 29;
    }
}
static void dfi_cache_begin(struct dfi_cache_key *k)
{
    k->h[0] = DFI_HASH_BEGIN;
    k->h[1] = 0x9E3779B97F4A7C15u;
}
/* Adds a string; its NUL keeps "a", "bc" apart from "ab", "c". */
static void dfi_cache_add(struct dfi_cache_key *k, const char *s) { dfi_cache_hash(k, s, strlen(s) + 1); }

/* The head of a file; `bytes` bytes follow. */
struct dfi_cache_head { char magic[8]; uint64_t bytes; struct dfi_cache_key key, sum; };
static const char dfi_cache_magic[8] = { 'd', 'f', ' ', 'k', 'e', 'r', 'n', '1' };

static const char *dfi_cache_folder(void)
{
    const char *folder = dfi_env("DF_KERNEL_CACHE");
    return folder && *folder ? folder : NULL;
}

/* Once a program. */
static void dfi_cache_say(const char *why)
{
    static DFI_ATOMIC(int) said;
    /* acq_rel: relaxed would do, nothing but the word itself is communicated */
    if (!dfi_exchange_acq_rel(&said, 1)) dfi_warn("DF_KERNEL_CACHE=%s is not used: %s; each run compiles its "
                                                  "kernels", dfi_cache_folder(), why);
}

/* FOLDER/HASH, to be freed by dfi_mfree; NULL: no folder, no memory. */
static char *dfi_cache_path(const struct dfi_cache_key *k)
{
    const char *folder = dfi_cache_folder();
    size_t room = folder ? strlen(folder) + 40 : 0;
    char *path = room ? (char *)dfi_malloc(room) : NULL;
    if (path)
        snprintf(path, room, "%s/%08lx%08lx%08lx%08lx", folder, (unsigned long)(k->h[0] >> 32),
                 (unsigned long)(k->h[0] & 0xffffffffu), (unsigned long)(k->h[1] >> 32),
                 (unsigned long)(k->h[1] & 0xffffffffu));
    return path;
}

static void *dfi_cache_read(FILE *f, const struct dfi_cache_key *k, size_t *bytes)
{
    struct dfi_cache_head head;
    struct dfi_cache_key sum;
    void *p;
    if (fread(&head, sizeof head, 1, f) != 1 || memcmp(head.magic, dfi_cache_magic, sizeof head.magic) ||
        memcmp(&head.key, k, sizeof *k) || !head.bytes || head.bytes > DFI_CACHE_MOST) return NULL;
    *bytes = (size_t)head.bytes;
    p = dfi_malloc(*bytes);
    if (!p) return NULL;
    dfi_cache_begin(&sum);
    if (fread(p, 1, *bytes, f) == *bytes && fgetc(f) == EOF) {
        dfi_cache_hash(&sum, p, *bytes);
        if (!memcmp(&sum, &head.sum, sizeof sum)) return p;
    }
    dfi_mfree(p);
    return NULL;
}

/* The data stored under this key, to be freed by dfi_mfree; NULL: none. */
static void *dfi_cache_get(const struct dfi_cache_key *k, size_t *bytes)
{
    char *path = dfi_cache_path(k);
    const char *why = NULL;
    FILE *f = path ? dfi_open_read(path, 1, &why) : NULL;
    void *p = NULL;
    if (f) {
        p = dfi_cache_read(f, k, bytes);
        fclose(f);
    } else if (why) dfi_cache_say(why);
    dfi_mfree(path);
    return p;
}

static int dfi_cache_write(FILE *f, const struct dfi_cache_key *k, const void *p, size_t bytes)
{
    struct dfi_cache_head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, dfi_cache_magic, sizeof head.magic);
    head.bytes = bytes, head.key = *k;
    dfi_cache_begin(&head.sum);
    dfi_cache_hash(&head.sum, p, bytes);
    return fwrite(&head, sizeof head, 1, f) == 1 && fwrite(p, 1, bytes, f) == bytes && !fflush(f);
}

/* Keeps `bytes` bytes, at least 1, under this key. */
static void dfi_cache_put(const struct dfi_cache_key *k, const void *p, size_t bytes)
{
    char *path = bytes && bytes <= DFI_CACHE_MOST ? dfi_cache_path(k) : NULL;
    struct dfi_replaced r;
    struct dfi_hush h;
    const char *why = "it cannot be written";
    int failed = 1;
    if (!path) return;
    dfi_hush_begin(&h);
    if (dfi_replace(&r, path, &why)) failed = dfi_replace_end(&r, path, !dfi_cache_write(r.f, k, p, bytes));
    dfi_hush_end(&h, failed);
    if (failed) dfi_cache_say(why ? why : strerror(errno));
    dfi_mfree(path);
}

#endif

#endif

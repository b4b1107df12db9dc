/* dfi_kernel_cache.h - compiled kernels on disk, for the next run: DF_KERNEL_CACHE=folder
 *
 * A file per kernel, named by a hash of all that its compilation depends on: the caller adds that to a key. Files are
 * written under another name and renamed, so that no program ever reads half of one; one that is not as it was written
 * is as good as none. Whatever fails, kernels are compiled: the log says once if the folder cannot be written.
 * Threads: any. */
#ifndef DFI_KERNEL_CACHE_H
#define DFI_KERNEL_CACHE_H

enum { DFI_CACHE_MOST = 1 << 28 }; /* bytes of a file: a larger one is not one of ours */

struct dfi_cache_key { uint64_t h[2]; };

/* FNV-1a, twice with different starts and, for the second, bytes turned over: 128 bits, as nobody compares what was hashed. */
static void dfi_cache_hash(struct dfi_cache_key *k, const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < n; i++) {
        k->h[0] = (k->h[0] ^ b[i]) * 0x100000001B3u;
        k->h[1] = (k->h[1] ^ (b[i] ^ 0xffu)) * 0x100000001B3u;
        k->h[1] ^= k->h[1] >> 29;
    }
}
static void dfi_cache_begin(struct dfi_cache_key *k)
{
    k->h[0] = 0xCBF29CE484222325u;
    k->h[1] = 0x9E3779B97F4A7C15u;
}
/* Adds a string; its NUL keeps "a", "bc" apart from "ab", "c". */
static void dfi_cache_add(struct dfi_cache_key *k, const char *s) { dfi_cache_hash(k, s, strlen(s) + 1); }

/* What a file begins with; then come `bytes` bytes. */
struct dfi_cache_head { char magic[8]; uint64_t bytes; struct dfi_cache_key key, sum; };
static const char dfi_cache_magic[8] = { 'd', 'f', ' ', 'k', 'e', 'r', 'n', '1' };

static const char *dfi_cache_folder(void)
{
    const char *folder = getenv("DF_KERNEL_CACHE");
    return folder && *folder ? folder : NULL;
}

/* FOLDER/HASH and what `end` says, to be freed by dfi_mfree; NULL: no folder, no memory. */
static char *dfi_cache_path(const struct dfi_cache_key *k, const char *end)
{
    const char *folder = dfi_cache_folder();
    size_t room = folder ? strlen(folder) + strlen(end) + 40 : 0;
    char *path = room ? (char *)dfi_malloc(room) : NULL;
    if (path)
        snprintf(path, room, "%s/%08lx%08lx%08lx%08lx%s", folder, (unsigned long)(k->h[0] >> 32),
                 (unsigned long)(k->h[0] & 0xffffffffu), (unsigned long)(k->h[1] >> 32),
                 (unsigned long)(k->h[1] & 0xffffffffu), end);
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

/* What was put under this key, to be freed by dfi_mfree; NULL: nothing. */
static void *dfi_cache_get(const struct dfi_cache_key *k, size_t *bytes)
{
    char *path = dfi_cache_path(k, "");
    FILE *f = path ? fopen(path, "rb") : NULL;
    void *p = NULL;
    if (f) {
        p = dfi_cache_read(f, k, bytes);
        fclose(f);
    }
    dfi_mfree(path);
    return p;
}

static int dfi_cache_write(const char *name, const struct dfi_cache_key *k, const void *p, size_t bytes)
{
    struct dfi_cache_head head;
    FILE *f = fopen(name, "wb");
    int good;
    if (!f) return 0;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, dfi_cache_magic, sizeof head.magic);
    head.bytes = bytes, head.key = *k;
    dfi_cache_begin(&head.sum);
    dfi_cache_hash(&head.sum, p, bytes);
    good = fwrite(&head, sizeof head, 1, f) == 1 && fwrite(p, 1, bytes, f) == bytes;
    return !fclose(f) && good;
}

/* Keeps `bytes` bytes, at least 1, under this key. */
static void dfi_cache_put(const struct dfi_cache_key *k, const void *p, size_t bytes)
{
    static DFI_ATOMIC(int) said;
    char end[80], *path, *name;
    if (!dfi_cache_folder() || !bytes || bytes > DFI_CACHE_MOST) return;
    /* no other program and no other thread has this name at this time */
#if DFI_POSIX
    snprintf(end, sizeof end, ".%ld.%p.tmp", (long)getpid(), (void *)&end);
#else
    snprintf(end, sizeof end, ".%lx.%p.tmp", (unsigned long)dfi_os_ns(), (void *)&end);
#endif
    path = dfi_cache_path(k, "");
    name = path ? dfi_cache_path(k, end) : NULL;
    if (name) {
        int written = dfi_cache_write(name, k, p, bytes);
        if (!written || rename(name, path)) {
            remove(name);
            /* acq_rel: relaxed would do, nothing but the word itself is communicated */
            if (!written && !dfi_exchange_acq_rel(&said, 1))
                dfi_log(DFI_LOG_BAD_ENV, "DF_KERNEL_CACHE", dfi_cache_folder(), "a folder with room that df can write to");
        }
    }
    dfi_mfree(name);
    dfi_mfree(path);
}

#endif

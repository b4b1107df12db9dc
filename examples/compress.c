/* A compressor: a pipeline that chooses its stages while it runs.
 *
 * Stage 0 reads blocks of a file, one after the other. They are packed in parallel. A block that became shorter is
 * unpacked again as a check, in parallel, too; one that did not skips that stage, as it is stored unchanged. The last
 * stage writes in order: the result is, byte for byte, that of a plain loop, and this program compares the two. It then
 * unpacks the result and compares it with the file.
 *
 *     cc -std=c11 -O2 -o compress examples/compress.c -pthread     (zlib: and -DUSE_ZLIB -lz)
 *     ./compress                         4 MiB made here
 *     ./compress FILE [-o PACKED]        yours
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 1 << 16, HEADER = 8 };   /* bytes; header: length of the block, length of the bytes that follow */

/* --- the coder: pack returns the length, or 0 if it would not be less than n ------------------ */

#ifdef USE_ZLIB
#include <zlib.h>

static size_t pack(const unsigned char *from, size_t n, unsigned char *to)
{
    uLongf length = (uLongf)n - 1;
    return n > 1 && compress2(to, &length, from, (uLong)n, Z_BEST_COMPRESSION) == Z_OK ? length : 0;
}

static size_t unpack(const unsigned char *from, size_t n, unsigned char *to, size_t room)
{
    uLongf length = (uLongf)room;
    return uncompress(to, &length, from, (uLong)n) == Z_OK ? length : 0;
}
#else

/* Two equal bytes are followed by a third: how many more of them, up to 255. */
static size_t pack(const unsigned char *from, size_t n, unsigned char *to)
{
    size_t out = 0;
    for (size_t i = 0, run; i < n; i += run) {
        for (run = 1; run < 257 && i + run < n && from[i + run] == from[i];)
            run++;
        if (out + 3 >= n)
            return 0;
        to[out++] = from[i];
        if (run > 1) {
            to[out++] = from[i];
            to[out++] = (unsigned char)(run - 2);
        }
    }
    return out;
}

static size_t unpack(const unsigned char *from, size_t n, unsigned char *to, size_t room)
{
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        int pair = i + 1 < n && from[i + 1] == from[i];
        if (pair && i + 2 >= n)
            return 0;
        size_t run = pair ? 2 + (size_t)from[i + 2] : 1;
        if (run > room - out)
            return 0;
        memset(to + out, from[i], run);
        out += run;
        i += pair ? 3 : 1;
    }
    return out;
}
#endif

/* --- the pipeline ----------------------------------------------------------------------------- */

typedef struct {
    size_t n, packed;   /* bytes in `in` and in `out` */
    unsigned char in[BLOCK], out[BLOCK], again[BLOCK];
} block;

typedef struct {
    FILE *in;
    unsigned char *out;
    size_t used, room;
    long stored;
    int failed;
} archive;

static void put_size(unsigned char *p, size_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(n >> 8 * i);
}

static size_t get_size(const unsigned char *p)
{
    return p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

static void append(archive *a, const block *b)
{
    const unsigned char *what = b->packed ? b->out : b->in;
    size_t length = b->packed ? b->packed : b->n;
    if (a->room - a->used < HEADER + length) {
        unsigned char *larger = realloc(a->out, a->room * 2 + HEADER + BLOCK);
        a->failed |= !larger;
        if (!larger)
            return;
        a->out = larger;
        a->room = a->room * 2 + HEADER + BLOCK;
    }
    put_size(a->out + a->used, b->n);
    put_size(a->out + a->used + 4, length);
    memcpy(a->out + a->used + HEADER, what, length);
    a->used += HEADER + length;
    a->stored += !b->packed;
}

enum { READ, PACK, CHECK, WRITE };

DF_PIPE(compress_block, block);
int compress_block(int stage, block *b, long i, void *to)
{
    archive *a = to;
    (void)i;
    switch (stage) {
    case READ:
        b->n = fread(b->in, 1, BLOCK, a->in);
        return b->n ? df_continue(PACK) : DF_PIPE_END;
    case PACK:
        b->packed = pack(b->in, b->n, b->out);
        return b->packed ? df_continue(CHECK) : df_in_order(WRITE);
    case CHECK:
        if (unpack(b->out, b->packed, b->again, BLOCK) != b->n || memcmp(b->in, b->again, b->n) != 0)
            b->packed = 0;   /* the coder is wrong: store it */
        return df_in_order(WRITE);
    default:
        append(a, b);
        return DF_PIPE_DONE;
    }
}

/* --- the program ------------------------------------------------------------------------------ */

/* The result that the pipeline must give. */
static archive compress_by_a_loop(FILE *in)
{
    static block b;
    archive a = { .in = in };
    while ((b.n = fread(b.in, 1, BLOCK, in)) > 0) {
        b.packed = pack(b.in, b.n, b.out);
        append(&a, &b);
    }
    return a;
}

static int unpacks_to(const archive *a, FILE *f)
{
    static block b;
    for (size_t i = 0, length; i < a->used; i += HEADER + length) {
        const unsigned char *p = a->out + i;
        size_t n = get_size(p);
        length = get_size(p + 4);
        if (length == n)
            memcpy(b.again, p + HEADER, n);
        else if (unpack(p + HEADER, length, b.again, BLOCK) != n)
            return 0;
        if (fread(b.in, 1, n, f) != n || memcmp(b.in, b.again, n) != 0)
            return 0;
    }
    return getc(f) == EOF;
}

/* Blocks of noise, of short and of long runs. */
static FILE *make_data(void)
{
    FILE *f = tmpfile();
    unsigned random = 1;
    for (long i = 0; f && i < 64 * BLOCK - 1000;) {
        random = random * 1664525u + 1013904223u;
        unsigned kind = (unsigned)(i / BLOCK) % 4, run = kind ? (random >> 10) % (kind * 10) + 1 : 1;
        for (; run > 0; run--, i++)
            putc((int)(random >> 24), f);
    }
    if (f)
        rewind(f);
    return f;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "compress: %s %s\n", what, name);
    return 2;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "a temporary file";
    if (argc > 4 || argc == 3 || (argc == 4 && strcmp(argv[2], "-o") != 0))
        return fail("usage: compress", "[FILE [-o PACKED]]");
    archive a = { .in = argc > 1 ? fopen(argv[1], "rb") : make_data() };
    if (!a.in)
        return fail("cannot open", name);

    df_start(NULL);   /* would start by itself; the time is for the pipeline only */
    double start = now();
    long blocks = df_pipe(compress_block, NULL, &a);
    double seconds = now() - start;
    if (blocks < 0 || a.failed)
        return fail("not enough memory for", name);
    if (ferror(a.in))
        return fail("cannot read", name);

    rewind(a.in);
    start = now();
    archive plain = compress_by_a_loop(a.in);
    double plain_seconds = now() - start;
    int same = plain.used == a.used && (!a.used || memcmp(plain.out, a.out, a.used) == 0);
    rewind(a.in);
    int unpacked = unpacks_to(&a, a.in);
    printf("%ld bytes in %ld blocks, %ld of them stored: %zu bytes\n", ftell(a.in), blocks, a.stored,
           a.used);
    printf("%s a plain loop gives; unpacked, %s the file\n", same ? "as" : "WRONG, not as",
           unpacked ? "it is" : "WRONG, it is not");
    printf("time        %.4f s, plain loop %.4f s, %d workers\n", seconds, plain_seconds, df_workers());
    fclose(a.in);

    FILE *out = argc == 4 ? fopen(argv[3], "wb") : NULL;
    if (argc == 4 && (!out || fwrite(a.out, 1, a.used, out) != a.used || fclose(out) != 0))
        return fail("cannot write", argv[3]);
    free(a.out);
    free(plain.out);
    return same && unpacked ? 0 : 1;
}

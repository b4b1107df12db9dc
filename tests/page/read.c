/* Reads the records of a page of DF_TRACE=file.html, without the page:  read FILE.html
 *
 * Prints a line `lanes N slices N edges N steals N ended 0|1`, then for each name and kind of slices `NAME|KIND COUNT
 * TOTAL`, TOTAL in nanoseconds without what was run in between, as the page's table has it. Exit status 1 and a message
 * if something is wrong with the file: a record that does not exist or does not end, a text that is not told before it
 * is used, slices of a track that do not nest, times before 0. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096, TEXTS = 65536 + 8, TRACKS = 2048, WAIT = 5, PARK = 6, KINDS = 10 };
enum { TEXT = 16, LANE, AT, THREAD, AFTER, STEAL, COUNT, END, AGAIN };

struct slice { uint64_t begin, end, track, name, order; };

static unsigned char *data;
static size_t n, p;
static uint64_t recent[SLOTS], now;
static char *text[TEXTS];
static unsigned char told[TEXTS], lane[TRACKS];
static struct slice *slice;
static size_t slices, room, edges, steals, lanes, ended;

static void fail(const char *what)
{
    fprintf(stderr, "byte %zu of %zu: %s\n", p, n, what);
    exit(1);
}

static unsigned byte(void)
{
    if (p == n) fail("a record does not end");
    return data[p++];
}
static uint64_t number(void)
{
    uint64_t v = 0;
    unsigned shift = 0, c;
    do {
        c = byte();
        if (shift > 63) fail("a number with more than 64 bits");
        v |= (uint64_t)(c & 127) << shift;
        shift += 7;
    } while (c > 127);
    return v;
}
static int64_t number_signed(void)
{
    uint64_t v = number();
    return v & 1 ? -(int64_t)(v >> 1) - 1 : (int64_t)(v >> 1);
}
static uint64_t at(void)
{
    int64_t d = number_signed();
    if (d < 0 && now < (uint64_t)-d) fail("a time before 0");
    return now += (uint64_t)d;
}
static uint64_t identity(void)
{
    uint64_t s = number(), id = 0;
    unsigned i;
    if (s >= 2 * SLOTS) fail("an identity with a place that does not exist");
    if (s < SLOTS) return recent[s];
    for (i = 0; i < 64; i += 8) id |= (uint64_t)byte() << i;
    return recent[s - SLOTS] = id;
}
static uint64_t some_text(void)
{
    uint64_t i = number();
    if (i >= TEXTS || !told[i]) fail("a text that is not known");
    return i;
}
static uint64_t track(void)
{
    uint64_t i = number();
    if (i >= TRACKS) fail("a track that does not exist");
    lanes += !lane[i];
    lane[i] = 1;
    return i;
}
static char *bytes(void)
{
    uint64_t length = number();
    char *s;
    if (length > n - p) fail("a text that does not end");
    if (!(s = malloc((size_t)length + 1))) fail("no memory");
    memcpy(s, data + p, (size_t)length);
    s[length] = 0;
    p += (size_t)length;
    return s;
}

static void read_slice(unsigned kind, uint64_t on)
{
    struct slice s;
    size_t end;
    uint64_t writes;
    s.begin = at();
    s.end = s.begin + number();
    s.name = some_text() * 16 + kind;
    s.track = on, s.order = slices;
    identity(), identity(), number(), track();
    end = byte();
    end += p;
    some_text(), number_signed(), number_signed();
    for (writes = number(); writes; writes--) number(), number(), number(), some_text(), number();
    if (p != end) fail("details of another length");
    if (slices == room && !(slice = realloc(slice, (room = 2 * room + 1000) * sizeof *slice))) fail("no memory");
    slice[slices++] = s;
}

static void read_part(void)
{
    static uint64_t on = TRACKS;
    uint64_t i;
    for (p = 0; p < n;) {
        unsigned kind = byte();
        if (kind < KINDS) {
            if (on == TRACKS) fail("a slice on no track");
            read_slice(kind, on);
            continue;
        }
        switch (kind) {
        case TEXT:
            i = number();
            if (i >= TEXTS || told[i]) fail("a text that is told twice");
            told[i] = 1, text[i] = bytes();
            break;
        case LANE: track(), free(bytes()); break;
        case AT: on = track(); break;
        case THREAD: break;
        case AFTER: identity(), identity(), edges++; break;
        case STEAL: identity(), track(), at(), steals++; break;
        case COUNT: some_text(), at(), number(); break;
        case END: ended = 1; break;
        case AGAIN: ended = 0; break;
        default: fail("a record that does not exist");
        }
    }
}

/* By track; inner slices before outer ones. */
static int compare(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->track != y->track) return x->track < y->track ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}
static int by_name(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void sums(void)
{
    size_t i, first, *open = malloc((slices + 1) * sizeof *open), depth = 0;
    uint64_t *own = calloc(slices + 1, sizeof *own);
    if (!open || !own) fail("no memory");
    qsort(slice, slices, sizeof *slice, compare);
    for (i = slices; i--;) { /* the outer ones first */
        own[i] = slice[i].end - slice[i].begin;
        while (depth && (slice[open[depth - 1]].track != slice[i].track ||
                         slice[open[depth - 1]].begin > slice[i].begin ||
                         slice[i].end <= slice[open[depth - 1]].begin)) {
            const struct slice *top = &slice[open[--depth]];
            if (top->track == slice[i].track && slice[i].end > top->begin) fail("slices that do not nest");
        }
        if (depth) own[open[depth - 1]] -= own[i];
        open[depth++] = i;
    }
    for (i = 0; i < slices; i++) slice[i].begin = own[i];
    qsort(slice, slices, sizeof *slice, by_name);
    for (first = 0; first < slices; first = i) {
        uint64_t total = 0;
        unsigned kind = (unsigned)(slice[first].name & 15);
        for (i = first; i < slices && slice[i].name == slice[first].name; i++) total += slice[i].begin;
        if (kind != WAIT && kind != PARK)
            printf("%s|%u %zu %llu\n", text[slice[first].name >> 4], kind, i - first, (unsigned long long)total);
    }
    free(open), free(own);
}

static int digit(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' &&
        c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Parts are lines <script>part('...')</script>; the last one may be cut off: it does not count then. */
int main(int argc, char **argv)
{
    static const char begin[] = "<script>part('", end[] = "')</script>";
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    char *line;
    size_t length, i, parts = 0;
    int c;
    if (!f) return fprintf(stderr, "usage: read FILE.html\n"), 1;
    if (!(line = malloc(1 << 18)) || !(data = malloc(1 << 18))) fail("no memory");
    do {
        for (length = 0; (c = getc(f)) != EOF && c != '\n';)
            if (length < (1 << 18) - 1) line[length++] = (char)c;
        line[length] = 0;
        if (strncmp(line, begin, sizeof begin - 1) != 0) continue;
        if (length < sizeof begin + sizeof end || strcmp(line + length - (sizeof end - 1), end) != 0) {
            if (c == EOF) break;
            fail("a part that does not end");
        }
        for (n = 0, i = sizeof begin - 1; i + 3 < length - (sizeof end - 1); i += 4) {
            int a = digit(line[i]), b = digit(line[i + 1]), d = digit(line[i + 2]), e = digit(line[i + 3]);
            if (a < 0 || b < 0 || (d < 0 && line[i + 2] != '=') || (e < 0 && line[i + 3] != '=')) fail("no base64");
            data[n++] = (unsigned char)(a << 2 | b >> 4);
            if (d >= 0) data[n++] = (unsigned char)(b << 4 | d >> 2);
            if (d >= 0 && e >= 0) data[n++] = (unsigned char)(d << 6 | e);
        }
        read_part();
        parts++;
    } while (c != EOF);
    if (!parts) fail("no part");
    printf("lanes %zu slices %zu edges %zu steals %zu ended %zu\n", lanes, slices, edges, steals, ended);
    sums();
    return 0;
}

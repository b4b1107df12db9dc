/* json.h - writer of DF_TRACE=file.json: Chrome's trace event format, array form, for Perfetto and
 * chrome://tracing
 *
 * One record a line, and the comma before it: a file of a killed program lacks only the last
 * bracket, which both viewers accept. A write that is cut short ends at a page boundary of the file,
 * so no record crosses one. Records are made by copying: texts are quoted once, and the text around
 * the numbers is constant.
 * Source: Trace Event Format (Chromium project). */
#ifndef DFI_OBSERVE_TRACE_JSON_H
#define DFI_OBSERVE_TRACE_JSON_H

#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/memory.h"
#include "../text.h"
#include "trace.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_JSON_TEXT = 240,                        /* most bytes of a quoted text: its length is kept in one byte */
    DFI_JSON_LINE = 512 + 8 * DFI_JSON_TEXT,    /* upper limit of a record */
    DFI_JSON_LABELS = 64,                       /* cached names of parameters; a power of two */
    DFI_JSON_STARTS = 16,                       /* tracks whose record prefixes are cached; a power of two */
    DFI_JSON_PAGE = 4096                        /* the page size of files is a multiple of this */
};

struct dfi_json_text { unsigned char n; char bytes[1]; };
struct dfi_json {
    int devices;                  /* the group of device tracks has its name */
    uint64_t arrows;
    size_t end;                   /* bytes of the file without the final part */
    struct dfi_json_text **text;  /* quoted, by number; NULL: not needed so far */
    size_t room;                  /* its capacity */
    uint64_t high;                /* of the last time: multiples of 10 ms, */
    unsigned n_high;              /* and their number of digits */
    char digits[16];
    /* prefixes of records with a time; n = 0: none */
    struct { uint32_t track; unsigned char n; char bytes[59]; } start[DFI_JSON_STARTS];
    /* quoted; n = 0: none */
    struct { uint32_t access_names, index; unsigned char n; char bytes[47]; } label[DFI_JSON_LABELS];
    unsigned char thread[DFI_TRACK_DEVICE]; /* begun, and not ended */
};

/* --- bytes ------------------------------------------------------------------------------------------------- */

#define DFI_JSON_PUT(to, text) (memcpy((to), text, sizeof(text) - 1), (to) + sizeof(text) - 1)

static const char dfi_json_pair[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697989900";

/* Writes the last n digits of v before `end`, with leading 0s. */
static void dfi_json_digits(char *end, unsigned n, uint64_t v)
{
    for (; n > 1; n -= 2, v /= 100) end -= 2, memcpy(end, dfi_json_pair + 2 * (v % 100), 2);
    if (n) end[-1] = (char)('0' + v % 10);
}

static char *dfi_json_number(char *to, uint64_t v)
{
    unsigned n = 1;
    uint64_t rest = v;
    while (rest >= 10000) rest /= 10000, n += 4;
    if (rest >= 10) n += rest >= 1000 ? 3 : rest >= 100 ? 2 : 1;
    dfi_json_digits(to + n, n, v);
    return to + n;
}

static char *dfi_json_signed(char *to, long long v)
{
    if (v < 0) *to++ = '-';
    return dfi_json_number(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static char *dfi_json_address(char *to, uint64_t v)
{
    unsigned n = 1, i;
    while (n < 16 && v >> 4 * n) n++;
    *to++ = '0', *to++ = 'x';
    for (i = n; i--; v >>= 4) to[i] = "0123456789abcdef"[v & 15];
    return to + n;
}

/* Microseconds with three decimals. Most times begin with the same digits as the previous one, down
 * to 10 ms. */
static char *dfi_json_time(struct dfi_json *j, char *to, uint64_t ns)
{
    uint64_t high = ns / 10000000;
    uint32_t low = (uint32_t)(ns % 10000000);
    if (high) {
        if (high != j->high) j->high = high, j->n_high = (unsigned)(dfi_json_number(j->digits, high) - j->digits);
        memcpy(to, j->digits, sizeof j->digits);
        to += j->n_high;
        memcpy(to, dfi_json_pair + 2 * (low / 100000), 2);
        memcpy(to + 2, dfi_json_pair + 2 * (low / 1000 % 100), 2);
        to += 4;
    } else to = dfi_json_number(to, low / 1000);
    low %= 1000;
    to[0] = '.', to[1] = (char)('0' + low / 100);
    memcpy(to + 2, dfi_json_pair + 2 * (low % 100), 2);
    return to + 4;
}

/* Quotes at most n bytes of text, and at most DFI_JSON_TEXT in all. Bytes that are not UTF-8 become
 * question marks. */
static char *dfi_json_quote(char *to, const char *text, size_t n)
{
    const char *stop = to + DFI_JSON_TEXT - 8, *end = text + n;
    *to++ = '"';
    while (text < end && *text && to < stop) {
        unsigned char c = (unsigned char)*text;
        unsigned bytes = dfi_utf8(text);
        if (!bytes || bytes > (size_t)(end - text)) *to++ = '?', bytes = 1;
        else if (c == '"' || c == '\\') *to++ = '\\', *to++ = (char)c;
        else if (c < 0x20 || c == 0x7f) to = DFI_JSON_PUT(to, "\\u00"), *to++ = "01234567"[c >> 4],
            *to++ = "0123456789abcdef"[c & 15];
        else memcpy(to, text, bytes), to += bytes;
        text += bytes;
    }
    *to++ = '"';
    return to;
}

/* Writes the text with that number, quoted. */
static char *dfi_json_put_text(struct dfi_json *j, char *to, uint32_t number)
{
    struct dfi_json_text *q;
    const char *text;
    size_t n;
    if (number < j->room && (q = j->text[number]) != NULL) {
        memcpy(to, q->bytes, q->n);
        return to + q->n;
    }
    text = dfi_event_text_of(number);
    n = (size_t)(dfi_json_quote(to, text, strlen(text)) - to);
    if (!dfi_array_room_zeroed((void *)&j->text, (size_t)number + 1, &j->room, sizeof *j->text) &&
        (q = (struct dfi_json_text *)dfi_malloc(sizeof *q + n)) != NULL) {
        q->n = (unsigned char)n;
        memcpy(q->bytes, to, n);
        j->text[number] = q;
    }
    return to + n;
}

/* --- records ----------------------------------------------------------------------------------------------- */

/* Begins a record of that phase on a track. */
static char *dfi_json_start(char *to, char phase, unsigned track)
{
    to = DFI_JSON_PUT(to, ",\n{\"ph\":\"");
    *to++ = phase;
    to = DFI_JSON_PUT(to, "\",\"pid\":");
    *to++ = track < DFI_TRACK_DEVICE ? '1' : '2';
    to = DFI_JSON_PUT(to, ",\"tid\":");
    return dfi_json_number(to, track < DFI_TRACK_DEVICE ? track : track - DFI_TRACK_DEVICE);
}
static char *dfi_json_begin(struct dfi_trace *t, char phase, unsigned track)
{
    return dfi_json_start(dfi_trace_room(t, DFI_JSON_LINE + DFI_JSON_PAGE), phase, track);
}

/* The same, with a time. */
static char *dfi_json_begin_at(struct dfi_trace *t, char phase, unsigned track, uint64_t at)
{
    struct dfi_json *j = (struct dfi_json *)t->own;
    unsigned k = track % DFI_JSON_STARTS;
    char *to = dfi_trace_room(t, DFI_JSON_LINE + DFI_JSON_PAGE);
    if (DFI_UNLIKELY(!j->start[k].n || j->start[k].track != track)) {
        char *end = dfi_json_start(j->start[k].bytes, '?', track);
        end = DFI_JSON_PUT(end, ",\"ts\":");
        j->start[k].track = track, j->start[k].n = (unsigned char)(end - j->start[k].bytes);
    }
    memcpy(to, j->start[k].bytes, sizeof j->start[k].bytes);
    to[sizeof ",\n{\"ph\":\"" - 1] = phase;
    return dfi_json_time(j, to + j->start[k].n, at);
}

/* Ends a record at `to`, except for its bracket. */
static void dfi_json_done(struct dfi_trace *t, char *to)
{
    char *from = t->buffer + t->n;
    size_t left = DFI_JSON_PAGE - (t->at + t->n) % DFI_JSON_PAGE, n;
    *to++ = '}';
    n = (size_t)(to - from);
    if (DFI_UNLIKELY(n > left)) {
        memmove(from + left, from, n);
        memset(from, ' ', left);
        n += left;
    }
    t->n += n;
}

static void dfi_json_named(struct dfi_trace *t, unsigned track, const char *what, const char *name)
{
    char *to = dfi_json_begin(t, 'M', track);
    to = dfi_json_quote(DFI_JSON_PUT(to, ",\"name\":"), what, strlen(what));
    to = dfi_json_quote(DFI_JSON_PUT(to, ",\"args\":{\"name\":"), name, strlen(name));
    *to++ = '}';
    dfi_json_done(t, to);
}

static void dfi_json_track(struct dfi_trace *t, unsigned track, const char *name)
{
    struct dfi_json *j = (struct dfi_json *)t->own;
    char *to;
    if (track >= DFI_TRACK_DEVICE && !j->devices) j->devices = 1, dfi_json_named(t, track, "process_name", "devices");
    dfi_json_named(t, track, "thread_name", name);
    to = dfi_json_begin(t, 'M', track);
    to = dfi_json_number(DFI_JSON_PUT(to, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":"), track);
    *to++ = '}';
    dfi_json_done(t, to);
}

static void dfi_json_thread_at(struct dfi_trace *t, unsigned track, uint64_t at, int begins)
{
    char *to = dfi_json_begin_at(t, begins ? 'B' : 'E', track, at);
    if (begins) to = DFI_JSON_PUT(to, ",\"name\":\"thread of the program\",\"cat\":\"thread\"");
    dfi_json_done(t, to);
}

static void dfi_json_thread(struct dfi_trace *t, unsigned track, uint64_t at, int begins)
{
    struct dfi_json *j = (struct dfi_json *)t->own;
    if (track >= DFI_TRACK_DEVICE || j->thread[track] == begins) return;
    j->thread[track] = (unsigned char)begins;
    dfi_json_thread_at(t, track, at, begins);
}

/* Writes the name and category of a slice. */
static char *dfi_json_kind(struct dfi_json *j, char *to, const struct dfi_trace_slice *s)
{
    to = DFI_JSON_PUT(to, ",\"name\":");
    if (s->name) to = dfi_json_put_text(j, to, s->name);
    else if (s->kind == DFI_SLICE_WAIT) to = DFI_JSON_PUT(to, "\"wait\"");
    else if (s->kind == DFI_SLICE_PARK) to = DFI_JSON_PUT(to, "\"sleep\"");
    else to = DFI_JSON_PUT(to, "\"?\"");
    switch (s->kind) {
    case DFI_SLICE_TASK: return DFI_JSON_PUT(to, ",\"cat\":\"task\"");
    case DFI_SLICE_SPAWNED: return DFI_JSON_PUT(to, ",\"cat\":\"spawned\"");
    case DFI_SLICE_LOOP: return DFI_JSON_PUT(to, ",\"cat\":\"loop\"");
    case DFI_SLICE_STAGE: return DFI_JSON_PUT(to, ",\"cat\":\"stage\"");
    case DFI_SLICE_INTERNAL: return DFI_JSON_PUT(to, ",\"cat\":\"internal\"");
    case DFI_SLICE_WAIT: return DFI_JSON_PUT(to, ",\"cat\":\"wait\"");
    case DFI_SLICE_PARK: return DFI_JSON_PUT(to, ",\"cat\":\"sleep\"");
    case DFI_SLICE_ATOMIC: return DFI_JSON_PUT(to, ",\"cat\":\"atomic\"");
    case DFI_SLICE_KERNEL: return DFI_JSON_PUT(to, ",\"cat\":\"kernel\"");
    default: return DFI_JSON_PUT(to, ",\"cat\":\"copy\"");
    }
}

/* Writes the name of the parameter, quoted. */
static char *dfi_json_label(struct dfi_json *j, char *to, const struct dfi_trace_write *w)
{
    unsigned k = (w->access_names * 4 + w->index) % DFI_JSON_LABELS;
    const char *name, *end;
    char *from = to;
    uint32_t i;
    if (j->label[k].n && j->label[k].access_names == w->access_names && j->label[k].index == w->index) {
        memcpy(to, j->label[k].bytes, sizeof j->label[k].bytes);
        return to + j->label[k].n;
    }
    name = dfi_event_text_of(w->access_names);
    for (i = 0; i < w->index && (end = strchr(name, ' ')) != NULL; i++) name = end + 1;
    end = strchr(name, ' ');
    if (end) to = dfi_json_quote(to, name, (size_t)(end - name));
    else to = DFI_JSON_PUT(dfi_json_number(DFI_JSON_PUT(to, "\"list["), w->index), "]\"");
    if ((size_t)(to - from) <= sizeof j->label[k].bytes) {
        j->label[k].access_names = w->access_names, j->label[k].index = w->index;
        j->label[k].n = (unsigned char)(to - from);
        memcpy(j->label[k].bytes, from, (size_t)(to - from));
    }
    return to;
}

/* "C":"0x7f0012345600, 64 x 512 bytes" */
static char *dfi_json_write(struct dfi_json *j, char *to, const struct dfi_trace_write *w)
{
    to = dfi_json_label(j, to, w);
    to = dfi_json_address(DFI_JSON_PUT(to, ":\""), w->at);
    to = DFI_JSON_PUT(to, ", ");
    if (w->rows != 1) {
        to = dfi_json_number(to, w->rows);
        to = DFI_JSON_PUT(to, " x ");
    }
    to = dfi_json_number(to, w->row);
    return DFI_JSON_PUT(to, " bytes\"");
}

static void dfi_json_slice(struct dfi_trace *t, const struct dfi_trace_slice *s)
{
    static const char *const outcome[] = { "committed", "aborted", "df_retry" };
    struct dfi_json *j = (struct dfi_json *)t->own;
    char *to = dfi_json_begin_at(t, 'X', s->track, s->begin), *args;
    unsigned i;
    to = dfi_json_time(j, DFI_JSON_PUT(to, ",\"dur\":"), s->end - s->begin);
    to = dfi_json_kind(j, to, s);
    args = to = DFI_JSON_PUT(to, ",\"args\":{");
    switch (s->kind) {
    case DFI_SLICE_LOOP:
        to = dfi_json_signed(DFI_JSON_PUT(to, "\"from\":"), s->first);
        to = dfi_json_signed(DFI_JSON_PUT(to, ",\"to\":"), s->last);
        break;
    case DFI_SLICE_STAGE:
        to = dfi_json_signed(DFI_JSON_PUT(to, "\"stage\":"), s->first);
        to = dfi_json_signed(DFI_JSON_PUT(to, ",\"item\":"), s->last);
        break;
    case DFI_SLICE_ATOMIC:
        to = dfi_json_quote(DFI_JSON_PUT(to, "\"end\":"), outcome[s->first], 16);
        break;
    case DFI_SLICE_COPY:
        to = dfi_json_signed(DFI_JSON_PUT(to, "\"bytes\":"), s->first);
        break;
    default: break;
    }
    for (i = 0; i < s->n; i++) {
        if (to != args) *to++ = ',';
        to = dfi_json_write(j, to, &s->write[i]);
    }
    if (s->site) {
        if (to != args) *to++ = ',';
        to = dfi_json_put_text(j, DFI_JSON_PUT(to, "\"submitted at\":"), s->site);
    }
    if (to == args) to -= sizeof ",\"args\":{" - 1;
    else *to++ = '}';
    dfi_json_done(t, to);
}

static void dfi_json_arrow(struct dfi_trace *t, const struct dfi_trace_arrow *a)
{
    struct dfi_json *j = (struct dfi_json *)t->own;
    char number[20], *to;
    size_t n = (size_t)(dfi_json_number(number, ++j->arrows) - number);
    int end;
    for (end = 0; end < 2; end++) {
        to = end ? dfi_json_begin_at(t, 'f', a->to_track, a->to) : dfi_json_begin_at(t, 's', a->from_track, a->from);
        to = DFI_JSON_PUT(to, ",\"id\":");
        memcpy(to, number, sizeof number);
        to += n;
        if (end) to = DFI_JSON_PUT(to, ",\"bp\":\"e\"");
        if (a->kind == DFI_A_STEAL) to = DFI_JSON_PUT(to, ",\"name\":\"steal\",\"cat\":\"steal\"");
        else to = DFI_JSON_PUT(to, ",\"name\":\"after\",\"cat\":\"after\"");
        dfi_json_done(t, to);
    }
}

static void dfi_json_counter(struct dfi_trace *t, int counter, uint64_t at, uint64_t value)
{
    char *to = dfi_json_begin_at(t, 'C', 0, at);
    to = dfi_json_quote(DFI_JSON_PUT(to, ",\"name\":"), dfi_counter_name[counter], 32);
    to = dfi_json_number(DFI_JSON_PUT(to, ",\"args\":{\"value\":"), value);
    *to++ = '}';
    dfi_json_done(t, to);
}

/* Viewers ignore metadata with another name than theirs. */
static void dfi_json_event(struct dfi_trace *t, unsigned track, const char *kind, const uint64_t *v, unsigned n,
                           uint32_t text)
{
    char *to = dfi_json_begin(t, 'M', track);
    to = dfi_json_quote(DFI_JSON_PUT(to, ",\"name\":\"df\",\"args\":{"), kind, 16);
    to = DFI_JSON_PUT(to, ":[");
    for (; n--; *to++ = ',') to = dfi_json_number(to, *v++);
    to = dfi_json_put_text((struct dfi_json *)t->own, to, text);
    to = DFI_JSON_PUT(to, "]}");
    dfi_json_done(t, to);
}

/* --- begin and end ------------------------------------------------------------------------------------------- */

static int dfi_json_open(struct dfi_trace *t)
{
    struct dfi_json *j = (struct dfi_json *)dfi_malloc(sizeof *j);
    if (!j) return -1;
    memset((void *)j, 0, sizeof *j);
    t->own = j;
    dfi_trace_put(t, "[", 1);
    dfi_json_named(t, 0, "process_name", "df");
    t->buffer[1] = ' '; /* no record precedes this one */
    dfi_trace_flush(t);
    return 0;
}

static void dfi_json_end(struct dfi_trace *t, uint64_t at)
{
    struct dfi_json *j = (struct dfi_json *)t->own;
    unsigned i;
    dfi_trace_flush(t);
    j->end = t->at;
    for (i = 0; i < DFI_TRACK_DEVICE; i++)
        if (j->thread[i]) dfi_json_thread_at(t, i, at, 0);
    dfi_trace_put(t, "\n]\n", 3);
    dfi_trace_flush(t);
}

static void dfi_json_again(struct dfi_trace *t) { dfi_trace_seek(t, ((struct dfi_json *)t->own)->end); }

static void dfi_json_free(struct dfi_trace *t)
{
    struct dfi_json *j = (struct dfi_json *)t->own;
    size_t i;
    for (i = 0; i < j->room; i++) dfi_mfree(j->text[i]);
    dfi_mfree((void *)j->text);
    dfi_mfree(j);
}

static const struct dfi_trace_writer dfi_trace_json = {
    ".json", dfi_json_open, dfi_json_track, dfi_json_thread, dfi_json_slice, dfi_json_arrow, dfi_json_counter,
    dfi_json_event, dfi_trace_flush, dfi_json_end,
    dfi_json_again, dfi_json_free
};

DFI_SMALL_CODE_END

#endif

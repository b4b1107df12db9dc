/* html.h - writer of DF_TRACE=file.html: a page that shows the trace, without a network
 *
 * The compressed page (tools/trace/page.html) comes first, with the script that unpacks it. Each
 * look appends its records as base64 in a script, which the page reads when the browser comes to it.
 * A killed program leaves a page with the state of the last look.
 *
 * A record is a byte, its kind, and numbers: seven bits a byte, the lowest first, all but the last
 * with the eighth bit set; signed ones have their sign as the lowest bit. Times are differences to
 * the previous one. An identity is its index in a table of the last identity in each slot, which the
 * page keeps as well, or that index plus DFI_HTML_SLOTS, and 8 bytes. */
#ifndef DFI_OBSERVE_TRACE_HTML_H
#define DFI_OBSERVE_TRACE_HTML_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../text.h"
#include "page.h"
#include "trace.h"

enum {
    DFI_HTML_SLOTS = 4096,   /* as in the page */
    DFI_HTML_PART = 48 * 1024, /* bytes of records in a script; a multiple of 3 */
    DFI_HTML_TEXT = 1000,    /* bytes kept of a text */
    DFI_HTML_RECORD = 512    /* most bytes of a record without texts */
};
/* Kinds of records other than slices, whose kinds are enum dfi_slice_kind; as in the page. */
enum { DFI_H_TEXT = 16, DFI_H_LANE, DFI_H_AT, DFI_H_THREAD, DFI_H_AFTER, DFI_H_STEAL, DFI_H_COUNT, DFI_H_END,
      DFI_H_AGAIN };

DFI_STATIC_ASSERT(sizeof dfi_trace_page_rest < DFI_HTML_PART, "the page is written in one piece");

struct dfi_html {
    size_t n;                      /* bytes in `bytes` */
    uint64_t now;                  /* the previous time */
    unsigned track;                /* the current track of the records */
    uint64_t recent[DFI_HTML_SLOTS];
    /* texts in the file, one bit each; after those of df: names of counters */
    unsigned char told[DFI_TEXT_MOST / 8 + 1];
    unsigned char bytes[DFI_HTML_PART];
};

/* --- bytes: not compiled for size, because half the time of writing a page is spent here --------- */

/* Writes the contents of `bytes` in base64, between two texts. */
static void dfi_html_put(struct dfi_trace *t, const char *before, const char *after)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct dfi_html *h = (struct dfi_html *)t->own;
    size_t n = h->n, i;
    h->n = 0;
    dfi_trace_put(t, before, strlen(before));
    for (i = 0; i < n; i += 3) {
        unsigned more = n - i > 2 ? 2 : (unsigned)(n - i - 1);
        const unsigned char *from = h->bytes + i;
        unsigned long v = (unsigned long)from[0] << 16 |
                          (more ? (unsigned long)from[1] << 8 : 0) | (more > 1 ? from[2] : 0u);
        char *to = dfi_trace_room(t, 4);
        to[0] = digit[v >> 18], to[1] = digit[v >> 12 & 63];
        to[2] = more ? digit[v >> 6 & 63] : '=', to[3] = more > 1 ? digit[v & 63] : '=';
        t->n += 4;
    }
    dfi_trace_put(t, after, strlen(after));
}

static void dfi_html_flush(struct dfi_trace *t)
{
    if (((struct dfi_html *)t->own)->n) dfi_html_put(t, "<script>part('", "')</script>\n");
}

/* Begins a record of that kind, and makes room for it. */
static void dfi_html_begin(struct dfi_trace *t, unsigned kind, size_t room)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    if (h->n + room > DFI_HTML_PART) dfi_html_flush(t);
    h->bytes[h->n++] = (unsigned char)kind;
}

static void dfi_html_number(struct dfi_html *h, uint64_t v)
{
    for (; v > 127; v >>= 7) h->bytes[h->n++] = (unsigned char)(v | 128);
    h->bytes[h->n++] = (unsigned char)v;
}

static void dfi_html_signed(struct dfi_html *h, long long v)
{
    dfi_html_number(h, v < 0 ? (uint64_t)-(v + 1) << 1 | 1 : (uint64_t)v << 1);
}

static void dfi_html_time(struct dfi_html *h, uint64_t at)
{
    dfi_html_signed(h, (long long)(at - h->now));
    h->now = at;
}

static void dfi_html_identity(struct dfi_html *h, uint64_t id)
{
    unsigned slot = (unsigned)(id * 0x9e3779b97f4a7c15u >> 52), i;
    if (h->recent[slot] == id) {
        dfi_html_number(h, slot);
        return;
    }
    h->recent[slot] = id;
    dfi_html_number(h, DFI_HTML_SLOTS + slot);
    for (i = 0; i < 64; i += 8) h->bytes[h->n++] = (unsigned char)(id >> i);
}

DFI_SMALL_CODE_BEGIN

static void dfi_html_bytes(struct dfi_html *h, const char *text)
{
    size_t n = strlen(text);
    if (n > DFI_HTML_TEXT) n = DFI_HTML_TEXT;
    dfi_html_number(h, n);
    memcpy(h->bytes + h->n, text, n);
    h->n += n;
}

/* Marks the text with that number as written. */
static void dfi_html_tell(struct dfi_trace *t, uint32_t number, const char *text)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    h->told[number / 8] = (unsigned char)(h->told[number / 8] | 1u << number % 8);
    dfi_html_begin(t, DFI_H_TEXT, DFI_HTML_TEXT + 16);
    dfi_html_number(h, number);
    dfi_html_bytes(h, text);
}
static void dfi_html_text(struct dfi_trace *t, uint32_t number)
{
    if (!(((struct dfi_html *)t->own)->told[number / 8] >> number % 8 & 1))
        dfi_html_tell(t, number, dfi_event_text_of(number));
}

static void dfi_html_at(struct dfi_trace *t, unsigned track)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    if (h->track == track) return;
    h->track = track;
    dfi_html_begin(t, DFI_H_AT, DFI_HTML_RECORD);
    dfi_html_number(h, track);
}

/* --- records ----------------------------------------------------------------------------------------------- */

static void dfi_html_track(struct dfi_trace *t, unsigned track, const char *name)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    dfi_html_begin(t, DFI_H_LANE, DFI_HTML_TEXT + 16);
    dfi_html_number(h, track);
    dfi_html_bytes(h, name);
}

static void dfi_html_thread(struct dfi_trace *t, unsigned track, uint64_t at, int begins)
{
    (void)at;
    if (!begins) return;
    dfi_html_at(t, track);
    dfi_html_begin(t, DFI_H_THREAD, 1);
}

static void dfi_html_slice(struct dfi_trace *t, const struct dfi_trace_slice *s)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    size_t details;
    unsigned i;
    dfi_html_text(t, s->name);
    dfi_html_text(t, s->site);
    for (i = 0; i < s->n; i++) dfi_html_text(t, s->write[i].access_names);
    dfi_html_at(t, s->track);
    dfi_html_begin(t, s->kind, DFI_HTML_RECORD);
    dfi_html_time(h, s->begin);
    dfi_html_number(h, s->end - s->begin);
    dfi_html_number(h, s->name);
    dfi_html_identity(h, s->id);
    dfi_html_identity(h, s->parent);
    dfi_html_number(h, s->submitted && s->submitted <= s->begin ? s->begin - s->submitted + 1 : 0);
    dfi_html_number(h, s->from_track);
    details = h->n++; /* less than 128 bytes */
    dfi_html_number(h, s->site);
    dfi_html_signed(h, s->first);
    dfi_html_signed(h, s->last);
    dfi_html_number(h, s->n);
    for (i = 0; i < s->n; i++) {
        const struct dfi_trace_write *w = &s->write[i];
        dfi_html_number(h, w->at), dfi_html_number(h, w->rows), dfi_html_number(h, w->row);
        dfi_html_number(h, w->access_names), dfi_html_number(h, w->index);
    }
    h->bytes[details] = (unsigned char)(h->n - details - 1);
}

static void dfi_html_arrow(struct dfi_trace *t, const struct dfi_trace_arrow *a)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    dfi_html_begin(t, a->kind == DFI_A_STEAL ? DFI_H_STEAL : DFI_H_AFTER, DFI_HTML_RECORD);
    if (a->kind != DFI_A_STEAL) dfi_html_identity(h, a->from_id);
    dfi_html_identity(h, a->to_id);
    if (a->kind != DFI_A_STEAL) return;
    dfi_html_number(h, a->from_track);
    dfi_html_time(h, a->from);
}

static void dfi_html_counter(struct dfi_trace *t, int counter, uint64_t at, uint64_t value)
{
    struct dfi_html *h = (struct dfi_html *)t->own;
    dfi_html_begin(t, DFI_H_COUNT, DFI_HTML_RECORD);
    dfi_html_number(h, (unsigned)(DFI_TEXT_MOST + counter));
    dfi_html_time(h, at);
    dfi_html_number(h, value);
}

/* --- begin and end ------------------------------------------------------------------------------------------- */

static int dfi_html_open(struct dfi_trace *t)
{
    struct dfi_html *h = (struct dfi_html *)dfi_malloc(sizeof *h);
    size_t i;
    if (!h) return -1;
    memset((void *)h, 0, sizeof *h);
    h->track = DFI_TRACKS;
    t->own = h;
    for (i = 0; i < sizeof dfi_trace_page / sizeof *dfi_trace_page; i++)
        dfi_trace_put(t, dfi_trace_page[i], strlen(dfi_trace_page[i]));
    for (i = 0; i < sizeof dfi_trace_page_rest; i++)
        h->bytes[h->n++] = (unsigned char)(dfi_trace_page_rest[i / 4] >> 8 * (i % 4));
    dfi_html_put(t, "unpack(\"", "\")</script>\n");
    dfi_html_tell(t, 0, "");
    for (i = 0; i < DFI_C_COUNT; i++) dfi_html_tell(t, (uint32_t)(DFI_TEXT_MOST + i), dfi_counter_name[i]);
    dfi_trace_flush(t);
    return 0;
}

static void dfi_html_look(struct dfi_trace *t)
{
    dfi_html_flush(t);
    dfi_trace_flush(t);
}

static void dfi_html_end(struct dfi_trace *t, uint64_t at)
{
    (void)at;
    dfi_html_begin(t, DFI_H_END, 1);
    dfi_html_look(t);
}

static void dfi_html_again(struct dfi_trace *t) { dfi_html_begin(t, DFI_H_AGAIN, 1); }

static void dfi_html_free(struct dfi_trace *t) { dfi_mfree(t->own); }

static const struct dfi_trace_writer dfi_trace_html = {
    ".html", dfi_html_open, dfi_html_track, dfi_html_thread, dfi_html_slice, dfi_html_arrow, dfi_html_counter,
    NULL, dfi_html_look, dfi_html_end,
    dfi_html_again, dfi_html_free
};

DFI_SMALL_CODE_END

#endif

/* text.h - texts in events: names and source lines, by numbers */
#ifndef DFI_OBSERVE_TEXT_H
#define DFI_OBSERVE_TEXT_H

#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "event.h"

enum {
    DFI_TEXT_LISTS = 4096, /* a power of two */
    DFI_TEXT_MOST = 65536  /* names made by a program at run time must not take all its memory */
};

struct dfi_text {
    struct dfi_text *next;   /* of the list */
    uint32_t number;         /* 1, 2, .. */
};
/* Under dfi_texts_lock, behind which no other one is taken. */
struct dfi_texts {
    struct dfi_text **list;  /* DFI_TEXT_LISTS, by the hash; NULL: none yet */
    struct dfi_text **text;  /* by number, from 1 on */
    uint32_t n;
    size_t room;
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_os_mutex dfi_texts_lock = DFI_OS_MUTEX_INIT;
DFI_API struct dfi_texts dfi_texts;
DFI_EXTERN_C_END

DFI_SMALL_CODE_BEGIN

/* Adds the text, of so many bytes, to a list. NULL without memory. pre: the lock */
static DFI_COLD struct dfi_text *dfi_text_new(struct dfi_text **list, const char *text, size_t bytes)
{
    struct dfi_texts *x = &dfi_texts;
    struct dfi_text *t;
    if (x->n == DFI_TEXT_MOST - 1 || dfi_array_room((void *)&x->text, NULL, (size_t)x->n + 1, &x->room, sizeof t) ||
        !(t = (struct dfi_text *)dfi_malloc(sizeof *t + bytes))) return NULL;
    memcpy((void *)(t + 1), text, bytes);
    t->next = *list, *list = t;
    x->text[x->n] = t;
    t->number = ++x->n;
    return t;
}

/* The unique copy of the text, which stays at its address; NULL without memory, or if there are too many. */
static DFI_COLD const struct dfi_text *dfi_text_find(const char *text)
{
    struct dfi_texts *x = &dfi_texts;
    struct dfi_text *t = NULL, **list;
    size_t bytes = strlen(text) + 1;
    dfi_os_lock(&dfi_texts_lock);
    if (!x->list) x->list = (struct dfi_text **)dfi_zeroed(DFI_TEXT_LISTS * sizeof *x->list);
    if (x->list) {
        list = &x->list[dfi_hash(DFI_HASH_BEGIN, text, bytes) % DFI_TEXT_LISTS];
        for (t = *list; t && strcmp((const char *)(t + 1), text);) t = t->next;
        if (!t) t = dfi_text_new(list, text, bytes);
    }
    dfi_os_unlock(&dfi_texts_lock);
    return t;
}

DFI_SMALL_CODE_END

/* The number of the text, usually without a lock, or 0. Compares texts, not addresses, because the text at an address
 * may change. */
static uint32_t dfi_event_buffer_text(struct dfi_event_buffer *buffer, const char *text)
{
    unsigned i = (unsigned)((uintptr_t)text ^ (uintptr_t)text >> 7) % DFI_TEXT_CACHE;
    if (!text) return 0;
    if (DFI_UNLIKELY(!buffer->cache[i].at || strcmp(buffer->cache[i].at, text))) {
        const struct dfi_text *t = dfi_text_find(text);
        buffer->cache[i].text = t ? t->number : 0;
        buffer->cache[i].at = t ? (const char *)(t + 1) : NULL;
    }
    return buffer->cache[i].text;
}

/* The same for a text that does not change while df runs, such as the name of a function. */
static uint32_t dfi_event_text(struct dfi_worker *w, const char *text)
{
    unsigned i = (unsigned)((uintptr_t)text ^ (uintptr_t)text >> 7) % DFI_TEXT_CACHE;
    struct dfi_event_buffer *buffer = dfi_events_of(w);
    if (DFI_UNLIKELY(buffer->constant[i].at != text || !text)) {
        uint32_t number = dfi_event_buffer_text(buffer, text);
        buffer->constant[i].text = number, buffer->constant[i].at = number ? text : NULL;
        return number;
    }
    return buffer->constant[i].text;
}

DFI_SMALL_CODE_BEGIN

/* Readers: the text with that number, "" for 0. It stays at its address. */
static const char *dfi_event_text_of(uint32_t number)
{
    const char *text = "";
    dfi_os_lock(&dfi_texts_lock);
    if (number && number <= dfi_texts.n) text = (const char *)(dfi_texts.text[number - 1] + 1);
    dfi_os_unlock(&dfi_texts_lock);
    return text;
}

/* Frees all texts. pre: no worker is left */
static void dfi_texts_forget(void)
{
    struct dfi_texts *x = &dfi_texts;
    uint32_t i;
    for (i = 0; i < x->n; i++) dfi_mfree(x->text[i]);
    dfi_mfree((void *)x->text);
    dfi_mfree((void *)x->list);
    memset((void *)x, 0, sizeof *x);
}

DFI_SMALL_CODE_END

#endif

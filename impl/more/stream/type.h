/* type.h - element types of streams, and their check against task parameters; in both builds
 *
 * df_stream_new_of sets the type of a stream; df_stream_new sets only its size, so that the first
 * task that uses the stream sets the type. Types are compared under the lock of the stream when a
 * parameter differs from the last one. The last one is remembered by its address, which is compared
 * and never dereferenced. */
#ifndef DFI_MORE_STREAM_TYPE_H
#define DFI_MORE_STREAM_TYPE_H

#include "../../base/atomic.h"
#include "../../base/log.h"
#include "../../api/element.h"
#include "ring.h"

DFI_SMALL_CODE_BEGIN

/* Copies text, truncated to fit, because a stream keeps a copy of a name. */
static void dfi_stream_text(char *to, size_t room, const char *text)
{
    size_t n = strlen(text);
    if (n >= room) n = room - 1;
    memcpy(to, text, n);
    to[n] = 0;
}

/* The name of a structure without its keyword: `struct pixel` and `pixel` count as one type. */
static const char *dfi_type_name(const char *type)
{
    static const char *const words[] = { "struct ", "union ", "enum " };
    size_t i;
    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(type, words[i], strlen(words[i]))) return type + strlen(words[i]);
    return type;
}

/* Sets the element type. pre: the lock, or no other thread has the stream */
static void dfi_stream_set_type(struct dfi_stream *c, int code, const char *type, const char *task, const char *site)
{
    c->code = code;
    dfi_stream_text(c->type, sizeof c->type, type);
    snprintf(c->typed_by, sizeof c->typed_by, task ? "task %s, declared at %s" : "%sdf_stream_new_of at %s",
             task ? task : "", site);
}

/* True if e has the element type of c. Zero: no; logged. pre: the sizes are equal */
static int dfi_stream_has_type(struct dfi_stream *c, const struct dfi_element *e, const char *name, const char *site)
{
    char type[sizeof c->type], by[sizeof c->typed_by], own[sizeof c->type];
    int differs, unsure = 0;
    dfi_stream_lock(c);
    if (!*c->type) dfi_stream_set_type(c, e->code, e->type, e->name, e->site);
    differs = c->code != e->code;
    if (!differs && e->code <= 0) {
        /* the names of two structures differ, and only the compiler knows whether they are one type */
        dfi_stream_text(own, sizeof own, e->type);
        unsure = strcmp(dfi_type_name(c->type), dfi_type_name(own)) != 0;
    } else if (differs && (c->code == DFI_ANY_TYPE || e->code == DFI_ANY_TYPE)) differs = 0, unsure = 1;
    if (!differs) dfi_store_relaxed(&c->known[e->writes], (uintptr_t)e);
    if (differs || unsure) memcpy(type, c->type, sizeof type), memcpy(by, c->typed_by, sizeof by);
    dfi_stream_unlock(c);
    if (differs)
        dfi_error("%s%stask %s, declared at %s: elements of parameter %s are of type %s, but those of the stream of "
                  "%s are of type %s by %s: the task is skipped; use one type",
                  site, *site ? ": " : "", name, e->site, e->title, e->type, c->site, type, by);
    else if (unsure)
        dfi_warn_once("%s%stask %s, declared at %s: elements of parameter %s are of type %s, but those of the stream "
                      "of %s are of type %s by %s: the task runs; if this is one type, give it the same name in both "
                      "places",
                      site, *site ? ": " : "", name, e->site, e->title, e->type, c->site, type, by);
    return !differs;
}

DFI_SMALL_CODE_END

#endif

/* tell.h - log messages about ownership, collected under the lock and written after it
 *
 * The logger may be the program's own, and may use df: it is not called under the lock. */
#ifndef DFI_OWM_TELL_H
#define DFI_OWM_TELL_H

#include "../base/atomic.h"
#include "../base/log.h"
#include "../../df_owm.h"
#include "state.h"

#if DFI_OWM_CALLS

enum dfi_owm_says {
    DFI_OWM_SAYS_OWNERS, DFI_OWM_SAYS_TWICE, DFI_OWM_SAYS_FROZEN, DFI_OWM_SAYS_FREEZE, DFI_OWM_SAYS_NOT_ACQUIRED,
    DFI_OWM_SAYS_HELD, DFI_OWM_SAYS_OUTSIDE, DFI_OWM_SAYS_NOWHERE, DFI_OWM_SAYS_MODE, DFI_OWM_SAYS_WRITE,
    DFI_OWM_SAYS_CHANGED,
    DFI_OWM_SAYS_FREE, DFI_OWM_SAYS_FREED, DFI_OWM_SAYS_FREE_OWNED
};

/* One message: places that are copied, as records change once the lock is free. */
struct dfi_owm_note {
    enum dfi_owm_says id;
    struct dfi_owm_place a, b;
    unsigned long n, m;
    int mode, other_mode;
    char more[180];               /* OWM_WRITE, OWM_CHANGED */
};
enum { DFI_OWM_NOTES = 4 }; /* most that one call can find */
struct dfi_owm_notes {
    int n;
    struct dfi_owm_note note[DFI_OWM_NOTES];
};

/* The end of a text, if not all fits. */
static void dfi_owm_text(char *to, size_t bytes, const char *from)
{
    size_t n = strlen(from);
    if (n >= bytes) from += n - (bytes - 1), n = bytes - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

static void dfi_owm_place_set(struct dfi_owm_place *p, const struct dfi_owm_frame *f, const char *site)
{
    char who[200], of[32] = "";
    if (dfi_owm.processes > 1) snprintf(of, sizeof of, " of process %d", dfi_owm.process);
    if (f->name) snprintf(who, sizeof who, "task %.40s%s", f->name, of);
    else snprintf(who, sizeof who, "a thread%s", of);
    dfi_owm_text(p->who, sizeof p->who, who);
    dfi_owm_text(p->site, sizeof p->site, site);
}

static struct dfi_owm_note *dfi_owm_noted(struct dfi_owm_notes *t, enum dfi_owm_says id,
                                          const struct dfi_owm_place *a, const struct dfi_owm_place *b)
{
    struct dfi_owm_note *n = &t->note[t->n < DFI_OWM_NOTES ? t->n++ : DFI_OWM_NOTES - 1];
    memset((void *)n, 0, sizeof *n);
    n->id = id;
    if (a) n->a = *a;
    if (b) n->b = *b;
    return n;
}

static const char *dfi_owm_to(int mode)
{
    return mode == DF_OWM_R ? "to read" : mode == DF_OWM_W ? "to write" : "to read and write";
}

/* pre: the lock is free. */
static void dfi_owm_tell(const struct dfi_owm_notes *t)
{
    int i;
    if (dfi_load_relaxed(&dfi_owm.unguarded)) dfi_warn_once("the system refused to protect more pieces of memory: df "
                                                            "finds writes without ownership later, when the memory is "
                                                            "acquired");
    if (dfi_load_relaxed(&dfi_owm.full)) dfi_warn_once("more than %d parts of owner-writable memory are in use: "
                                                       "further ones are neither checked nor passed on to other "
                                                       "processes; acquire fewer and larger parts",
                                                       (int)DFI_OWM_RECORDS);
    for (i = 0; i < t->n; i++) {
        const struct dfi_owm_note *n = &t->note[i];
        switch (n->id) {
        case DFI_OWM_SAYS_OWNERS:
            dfi_error("%s: %s acquires %lu bytes %s that %s has owned %s since %s: both have the memory; order the "
                      "two, or release first",
                      n->a.site, n->a.who, n->n, dfi_owm_to(n->mode), n->b.who, dfi_owm_to(n->other_mode), n->b.site);
            break;
        case DFI_OWM_SAYS_MODE:
            dfi_error("%s: df_owm_acquire: mode %d is none of DF_OWM_R, DF_OWM_W, DF_OWM_RW: nothing is acquired",
                      n->a.site, n->mode);
            break;
        case DFI_OWM_SAYS_FREE:
            dfi_error("%s: df_owm_free of an address that is not the beginning of memory of df_owm_alloc: no effect",
                      n->a.site);
            break;
        case DFI_OWM_SAYS_FREED:
            dfi_error("%s: df_owm_free of memory that was freed at %s already: no effect", n->a.site, n->b.site);
            break;
        case DFI_OWM_SAYS_OUTSIDE:
            dfi_error("%s: %s asks for %lu bytes that are not all inside of the memory of %s, which has %lu: no effect",
                      n->a.site, n->a.who, n->n, n->b.site, n->m);
            break;
        case DFI_OWM_SAYS_NOWHERE:
            dfi_error("%s: %s asks for %lu bytes that are in no memory of df_owm_alloc: no effect",
                      n->a.site, n->a.who, n->n);
            break;
        case DFI_OWM_SAYS_HELD:
            dfi_error("%s: %s (%s) ends as owner of %lu bytes that it acquired here: df releases them; add "
                      "df_owm_release", n->b.site, n->a.who, n->a.site, n->n);
            break;
        case DFI_OWM_SAYS_FREE_OWNED:
            dfi_error("%s: df_owm_free of memory of which %s has owned %lu bytes since %s: the memory is freed; "
                      "release it before", n->a.site, n->b.who, n->n, n->b.site);
            break;
        case DFI_OWM_SAYS_WRITE:
            dfi_error("%s: %s writes to byte %lu of the memory of %s, which it does not own%s: the write takes place; "
                      "acquire the memory to write", n->a.site, n->a.who, n->n, n->b.site, n->more);
            break;
        case DFI_OWM_SAYS_CHANGED:
            dfi_error("%s: %s finds byte %lu of the memory of %s changed%s: a task or thread has written it without "
                      "owning it", n->a.site, n->a.who, n->n, n->b.site, n->more);
            break;
        case DFI_OWM_SAYS_TWICE:
            dfi_error("%s: %s acquires %lu bytes that it has owned since %s: acquire once, or release before",
                      n->a.site, n->a.who, n->n, n->b.site);
            break;
        case DFI_OWM_SAYS_FROZEN:
            dfi_error("%s: %s acquires %lu bytes to write that were frozen at %s: only read frozen memory, or freeze "
                      "it later", n->a.site, n->a.who, n->n, n->b.site);
            break;
        case DFI_OWM_SAYS_NOT_ACQUIRED:
            dfi_error("%s: %s releases %lu bytes of the memory of %s that it has not acquired: no effect on these",
                      n->a.site, n->a.who, n->n, n->b.site);
            break;
        case DFI_OWM_SAYS_FREEZE:
            dfi_error("%s: %s freezes %lu bytes that another owner acquired to write at %s: no effect; release them "
                      "first", n->a.site, n->a.who, n->n, n->b.site);
            break;
        }
    }
}

#endif

#endif

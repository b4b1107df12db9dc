/* tell.h - what is found under the lock, and said after it
 *
 * The logger may be the program's own, and may use df: it is not called under the lock. */
#ifndef DFI_OWM_TELL_H
#define DFI_OWM_TELL_H

#include "../base/atomic.h"
#include "../base/log.h"
#include "../api/owm_words.h"
#include "state.h"
#include "../../df_owm.h"

#if DFI_OWM_CALLS

/* One message: places that are copied, as records change once the lock is free. */
struct dfi_owm_note {
    int id;                       /* of base/log.h */
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

static struct dfi_owm_note *dfi_owm_noted(struct dfi_owm_notes *t, int id, const struct dfi_owm_place *a, const struct dfi_owm_place *b)
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
    if (dfi_load_relaxed(&dfi_owm.unguarded)) dfi_log(DFI_LOG_OWM_UNGUARDED);
    if (dfi_load_relaxed(&dfi_owm.full)) dfi_log(DFI_LOG_OWM_FULL, (int)DFI_OWM_RECORDS);
    for (i = 0; i < t->n; i++) {
        const struct dfi_owm_note *n = &t->note[i];
        switch (n->id) {
        case DFI_LOG_OWM_OWNERS:
            dfi_log(n->id, n->a.site, n->a.who, n->n, dfi_owm_to(n->mode), n->b.who, dfi_owm_to(n->other_mode), n->b.site);
            break;
        case DFI_LOG_OWM_MODE: dfi_log(n->id, n->a.site, n->mode); break;
        case DFI_LOG_OWM_FREE: dfi_log(n->id, n->a.site); break;
        case DFI_LOG_OWM_FREED: dfi_log(n->id, n->a.site, n->b.site); break;
        case DFI_LOG_OWM_OUTSIDE: dfi_log(n->id, n->a.site, n->a.who, n->n, n->b.site, n->m); break;
        case DFI_LOG_OWM_NOWHERE: dfi_log(n->id, n->a.site, n->a.who, n->n); break;
        case DFI_LOG_OWM_HELD: dfi_log(n->id, n->b.site, n->a.who, n->a.site, n->n); break;
        case DFI_LOG_OWM_FREE_OWNED: dfi_log(n->id, n->a.site, n->n, n->b.who, n->b.site); break;
        case DFI_LOG_OWM_WRITE:
        case DFI_LOG_OWM_CHANGED: dfi_log(n->id, n->a.site, n->a.who, n->n, n->b.site, n->more); break;
        default: dfi_log(n->id, n->a.site, n->a.who, n->n, n->b.site); break;
        }
    }
}

#endif

#endif

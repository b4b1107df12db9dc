/* tokens.c - tokens, nodes, locks, semaphores and arenas of the oracle */
#include <stdlib.h>
#include <string.h>
#include "oracle.h"

static int is_open(df_token *t) { return __atomic_load_n(&t->dfi_need, __ATOMIC_ACQUIRE) <= 0; }
df_token *oracle_closed_token(const struct scope *t)
{
    df_token **k;
    for (k = t->after; k && *k; k++)
        if (!is_open(*k)) return *k;
    return NULL;
}
void oracle_signal(df_token *t, const char *site, int skip)
{
    if (is_open(t)) {
        if (!skip) oracle_say("%s: a signal too many for the token of %s", site, t->dfi_site);
        return;
    }
    if (skip) t->dfi_state |= 2;
    __atomic_fetch_sub(&t->dfi_need, 1, __ATOMIC_ACQ_REL);
    oracle_event();
}
df_token **oracle_copy_tokens(struct df_token *const *t)
{
    size_t n = 0;
    df_token **copy;
    while (t && t[n]) n++;
    copy = oracle_zeroed((n + 1) * sizeof *copy);
    if (n) memcpy(copy, t, n * sizeof *copy);
    return copy;
}

void dfi_limits_begin(void) {}
void dfi_semaphore_init(df_semaphore *s, long long n, const char *site)
{
    memset(s, 0, sizeof *s);
    s->dfi_units = (intptr_t)n, s->dfi_site = site;
}
void dfi_semaphore_resize(df_semaphore *s, long long n, const char *site) { s->dfi_units = (intptr_t)n, (void)site; }
int dfi_semaphore_destroy(df_semaphore *s, const char *site) { return (void)site, s->dfi_free == 0; }

/* one worker is in any arena */
void dfi_arena_init(df_arena *a, int n, const char *site) { a->dfi_workers = n, a->dfi_site = site; }
int dfi_arena_destroy(df_arena *a, const char *site) { return (void)a, (void)site, 1; }
int dfi_arena_enter(df_arena *a, const char *site) { return (void)a, (void)site, 1; }
int dfi_arena_at_most(int n, const char *site) { return (void)n, (void)site, 1; }

void dfi_token_init(df_token *t, long k, const char *site)
{
    memset(t, 0, sizeof *t);
    t->dfi_need = k, t->dfi_site = site;
}
void dfi_token_init_external(df_token *t, long k, const char *site)
{
    dfi_token_init(t, k, site);
    t->dfi_state = 1;
}
void dfi_token_name(df_token *t, const char *name) { t->dfi_site = name; }
void dfi_signal(df_token *t, const char *site) { oracle_signal(t, site, 0); }
void dfi_signal_failed(df_token *t, int code, const char *text, const char *site)
{
    if (!t->dfi_code) t->dfi_code = code ? code : -1, t->dfi_text = text;
    oracle_signal(t, site, 1);
}
static int token_is_open(void *t) { return is_open(t); }
df_result dfi_wait_token(df_token *t, const char *site)
{
    (void)site;
    oracle_cannot_record();
    if (!oracle_wait(token_is_open, t, t->dfi_state & 1)) return DF_ERROR_STUCK;
    if (t->dfi_code) return oracle_told(t->dfi_code, t->dfi_text);
    return t->dfi_state & 2 ? DF_ERROR_CANCELLED : DF_OK;
}

struct dfi_task *dfi_node_new(const struct dfi_type *type, const struct dfi_inputs *inputs, const char *site)
{
    struct scope *t = oracle_task_new(type, NULL, site);
    oracle_cannot_record();
    t->inputs = inputs;
    t->missing = ((uint64_t)1 << inputs->n) - 1;
    oracle_append(t, oracle_current());
    oracle_event();
    return inputs->n ? &t->head : NULL;
}
void *dfi_node_external(void *node) { return node; }
void *dfi_node_input(struct dfi_task *node, int input, const char *site)
{
    struct scope *t = (struct scope *)(void *)node;
    if (!t || !t->is_task) return t ? t->head.args : NULL; /* of df_taskgraph_set */
    if (t->missing >> input & 1) {
        t->missing &= ~((uint64_t)1 << input);
        t->missing |= (uint64_t)1 << 40; /* not before dfi_node_given */
        return t->head.args;
    }
    oracle_say("%s: an input of node %s a second time", site, t->type->name);
    return NULL;
}
void dfi_node_given(struct dfi_task *node)
{
    ((struct scope *)(void *)node)->missing &= ~((uint64_t)1 << 40);
    oracle_event();
}

/* An output is allocated, and never freed. */
struct output { struct dfi_task *node; int input; };
void *dfi_node_output(struct dfi_task *node, int input)
{
    struct output *o = node ? oracle_zeroed(sizeof *o) : NULL;
    if (o) o->node = node, o->input = input;
    return o;
}
void *dfi_give_begin(const volatile void *output, const char *site)
{
    const volatile struct output *o = output;
    struct scope *t = o ? (struct scope *)(void *)o->node : NULL;
    return t && dfi_node_input(o->node, o->input, site) ? (char *)t->head.args + t->inputs->at[o->input] : NULL;
}
void dfi_give_end(const volatile void *output) { dfi_node_given(((const volatile struct output *)output)->node); }

static int is_unlocked(void *m) { return !((df_mutex *)m)->dfi_state; }
df_result dfi_mutex_lock_here(df_mutex *m, const char *site)
{
    void *me = oracle_stack();
    (void)site;
    if (m->dfi_state && m->dfi_owner == me) return DF_ERROR_DEADLOCK;
    if (!oracle_wait(is_unlocked, m, 0)) return DF_ERROR_DEADLOCK;
    m->dfi_state = 1, m->dfi_owner = me;
    return DF_OK;
}
df_result dfi_mutex_trylock_here(df_mutex *m, const char *site)
{
    return m->dfi_state ? DF_ERROR_DEADLOCK : dfi_mutex_lock_here(m, site);
}
void (df_mutex_unlock)(df_mutex *m)
{
    if (!m->dfi_state) oracle_say("df_mutex_unlock of a lock that is not held");
    m->dfi_state = 0;
    oracle_event();
}
void dfi_yield_here(void (*fn)(void *arg), void *arg, const char *site) { (void)site, fn(arg); }

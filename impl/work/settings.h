/* settings.h - settings: numbers from df_config, environment variables and defaults, in rows that modules bring
 *
 * df_config takes precedence over the environment, and the environment over the defaults. An invalid value is logged
 * once, with the name of the field or variable, and the default is used. */
#ifndef DFI_WORK_SETTINGS_H
#define DFI_WORK_SETTINGS_H

#include <limits.h>
#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/config.h"
#include "types.h"

#if !defined(DF_SERIAL) /* has fields of df_config only */

DFI_SMALL_CODE_BEGIN

/* The type of a field of df_config, and of its value: size_t; size_t, without limits in df_config; int; int that is 0
 * or 1; int, where a negative number means 0. */
enum { DFI_SETTING_SIZE, DFI_SETTING_BYTES, DFI_SETTING_INT, DFI_SETTING_FLAG, DFI_SETTING_OFF };
struct dfi_setting {
    const char *field, *variable;
    size_t at;                   /* offset of the field in df_config */
    int type;                    /* DFI_SETTING_.. */
    long least, most, otherwise; /* limits, and the default */
    const char *what;            /* the numbers that are allowed, for messages */
    void *value;                 /* where the setting is stored */
};
/* The rows of a module end with one without a field. */
DFI_LATER(const struct dfi_setting *const *, dfi_settings); /* ends with NULL; no modules have rows: NULL */

static void dfi_setting_read(const struct dfi_setting *s, const df_config *c)
{
    const char *field = c ? (const char *)c + s->at : NULL;
    size_t size = 0;
    int n = 0;
    long v, given;
    if (field && s->type <= DFI_SETTING_BYTES) memcpy(&size, field, sizeof size);
    else if (field) memcpy(&n, field, sizeof n);
    if (s->type == DFI_SETTING_BYTES && size > (size_t)s->most) {
        *(size_t *)s->value = size;
        return;
    }
    given = size > LONG_MAX ? LONG_MAX : size ? (long)size : n;
    v = dfi_env_number(s->variable, s->least, s->most, s->otherwise, s->what);
    if (s->type == DFI_SETTING_FLAG) v = v || n;
    else if (s->type == DFI_SETTING_OFF && n < 0) v = 0;
    else if (given && (given < s->least || given > s->most)) dfi_warn(DFI_MESSAGE_BAD_CONFIG, s->field, given, s->what);
    else if (given) v = given;
    if (s->type <= DFI_SETTING_BYTES) *(size_t *)s->value = (size_t)v;
    else *(int *)s->value = (int)v;
}

enum {
    DFI_DEQUE_DEFAULT = 16384, /* entries of the private stack: 128 KB of address space, mapped when used */
    DFI_DEQUE_LEAST = 2,
    DFI_DEQUE_MOST = 1 << 26
};
static const struct dfi_setting dfi_pool_settings[] = {
    { "workers", "DF_WORKERS", offsetof(df_config, workers), DFI_SETTING_INT, 1, 100000000, 0,
      "a number of workers from 1", &dfi_pool.n_planned },
    { "deque", "DF_DEQUE", offsetof(df_config, deque), DFI_SETTING_SIZE, DFI_DEQUE_LEAST, DFI_DEQUE_MOST,
      DFI_DEQUE_DEFAULT, "a number of entries from 2 to 67108864", &dfi_pool.deque },
    { "stack_bytes", "DF_STACK", offsetof(df_config, stack_bytes), DFI_SETTING_BYTES, 1, LONG_MAX, 0,
      "a number of bytes, such as 16M", &dfi_pool.stack_bytes },
    { NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL }
};
/* The number of CPUs that are chosen for workers; 0: none is. */
DFI_UPCALL(int, dfi_up_cpus_chosen, (const df_config *c));
/* The number of CPUs whose time this process may use on average; 0: all. */
DFI_UPCALL(int, dfi_up_cpus_most, (void));

/* Warns of unknown environment variables whose names begin with DF_. */
DFI_UPCALL(void, dfi_up_variables, (void));

/* Reads all settings. c may be NULL. */
static void dfi_settings_read(const df_config *c)
{
    const struct dfi_setting *const *rows = dfi_settings, *s;
    int chosen = dfi_up_cpus_chosen ? dfi_up_cpus_chosen(c) : 0, most = dfi_up_cpus_most ? dfi_up_cpus_most() : 0;
    if (dfi_up_variables) dfi_up_variables();
    dfi_pool.n_cpus = dfi_os_cpus();
    dfi_pool.cpus_chosen = chosen;
    if (most && most < dfi_pool.n_cpus) dfi_pool.n_cpus = most;
    for (s = dfi_pool_settings; s; s = rows ? *rows++ : NULL)
        for (; s->field; s++) dfi_setting_read(s, c);
    if (!dfi_pool.n_planned) dfi_pool.n_planned = chosen ? chosen : dfi_pool.n_cpus;
    if (dfi_pool.n_planned > DFI_WORKERS_MOST) {
        dfi_warn("%d workers are too many: %d are used; set DF_WORKERS or df_config.workers",
                 dfi_pool.n_planned, DFI_WORKERS_MOST);
        dfi_pool.n_planned = DFI_WORKERS_MOST;
    }
}

DFI_SMALL_CODE_END

#endif

#endif

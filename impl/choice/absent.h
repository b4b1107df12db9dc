/* absent.h - parts that this build lacks: a log message at start for each of their variables and fields that is set
 *
 * DF_MINIMAL is without these messages. */
#ifndef DFI_CHOICE_ABSENT_H
#define DFI_CHOICE_ABSENT_H

#include "../base/parts.h"
#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../api/config.h"
#include "../work/module.h"

#if DFI_ABSENT_PARTS
DFI_SMALL_CODE_BEGIN

/* A field of df_config, which is a text or NULL, and then a variable. How it gets the part: by DF_WITH_x or without
 * DF_WITHOUT_x. */
static void dfi_absent(const char *field, const char *text, const char *variable, const char *how)
{
    const char *name = field;
    if (!text) text = dfi_env(variable), name = variable;
    if (text && *text && strcmp(text, "0") != 0)
        dfi_warn("%s is ignored: df was built without this part; %s where DF_IMPLEMENTATION is defined", name, how);
}

#define DFI_ABSENT(x) \
    (!DFI_PARALLEL ? "leave DF_SERIAL out" : DFI_HAS_OBSERVERS ? "remove DF_WITHOUT_" #x : "define DF_WITH_" #x)
#define DFI_LACKED(x) (DFI_HAS_LANGUAGE ? "remove DF_WITHOUT_" #x : "define DF_WITH_" #x)
#define DFI_OF_CONFIG(name) "df_config." #name, c ? c->name : NULL

static void dfi_module_absent(const struct dfi_moment *m)
{
    const df_config *c = m->config;
    if (m->is != DFI_POOL_BEGINS) return;
    (void)c;
#if !DFI_WITH_TRACE
    dfi_absent(DFI_OF_CONFIG(trace), "DF_TRACE", DFI_ABSENT(TRACE));
#endif
#if !DFI_WITH_STATS
    dfi_absent(DFI_OF_CONFIG(stats), "DF_STATS", DFI_ABSENT(STATS));
#endif
#if !DFI_WITH_GRAPH
    dfi_absent(DFI_OF_CONFIG(graph), "DF_GRAPH", DFI_ABSENT(GRAPH));
#endif
#if !DFI_WITH_STALL
    dfi_absent("df_config.stall", c && c->stall > 0 ? "1" : c && c->stall < 0 ? "" : NULL, "DF_STALL",
               DFI_ABSENT(STALL));
#endif
#if !DFI_WITH_SCHEDULE
    dfi_absent(DFI_OF_CONFIG(schedule), "DF_SCHEDULE", DFI_ABSENT(SCHEDULE));
    dfi_absent("df_config.chaos", c && c->chaos ? "1" : NULL, "DF_CHAOS", DFI_ABSENT(SCHEDULE));
    dfi_absent(DFI_OF_CONFIG(record), "DF_RECORD", DFI_ABSENT(SCHEDULE));
    dfi_absent(DFI_OF_CONFIG(replay), "DF_REPLAY", DFI_ABSENT(SCHEDULE));
#endif
#if !DFI_WITH_PROGRESS
    dfi_absent(DFI_OF_CONFIG(progress), "DF_PROGRESS", DFI_ABSENT(PROGRESS));
#endif
#if !DFI_WITH_CPUSET
    dfi_absent(DFI_OF_CONFIG(cpuset), "DF_CPUSET", DFI_LACKED(CPUSET));
#endif
#if !DFI_WITH_SPECULATION
    dfi_absent("df_config.speculate", c && c->speculate > 0 ? "1" : c && c->speculate < 0 ? "" : NULL, "DF_SPECULATE",
               DFI_LACKED(SPECULATION));
#endif
#if !DFI_WITH_RENAME
    dfi_absent("df_config.rename_bytes", c && c->rename_bytes ? "1" : NULL, "DF_RENAME_BYTES", DFI_LACKED(RENAME));
#endif
}

DFI_SMALL_CODE_END
#endif

#endif

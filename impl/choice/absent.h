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

#if defined(DF_SMALL)
#define DFI_ABSENT "DF_SMALL"
#else
#define DFI_ABSENT "DF_SERIAL"
#endif
/* A field of df_config, which is a text or NULL, and then a variable. */
static void dfi_absent(const char *field, const char *text, const char *variable)
{
    const char *name = field;
    if (!text) text = dfi_env(variable), name = variable;
    if (text && *text && strcmp(text, "0") != 0)
        dfi_warn("%s is ignored: df was built without this part; leave %s out where DF_IMPLEMENTATION is defined", name,
                 DFI_ABSENT);
}

static void dfi_module_absent(const struct dfi_moment *m)
{
    const df_config *c = m->config;
    if (m->is != DFI_POOL_BEGINS) return;
#define DFI_OF_CONFIG(name) "df_config." #name, c ? c->name : NULL
    dfi_absent(DFI_OF_CONFIG(trace), "DF_TRACE");
    dfi_absent(DFI_OF_CONFIG(stats), "DF_STATS");
    dfi_absent("df_config.stall", c && c->stall > 0 ? "1" : c && c->stall < 0 ? "" : NULL, "DF_STALL");
    dfi_absent(DFI_OF_CONFIG(schedule), "DF_SCHEDULE");
    dfi_absent("df_config.chaos", c && c->chaos ? "1" : NULL, "DF_CHAOS");
    dfi_absent(DFI_OF_CONFIG(record), "DF_RECORD");
    dfi_absent(DFI_OF_CONFIG(replay), "DF_REPLAY");
#if !DFI_WITH_OBSERVERS
    dfi_absent(DFI_OF_CONFIG(graph), "DF_GRAPH");
    dfi_absent(DFI_OF_CONFIG(progress), "DF_PROGRESS");
#endif
}

DFI_SMALL_CODE_END
#endif

#endif

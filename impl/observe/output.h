/* output.h - the file that a setting of an observer names: DF_TRACE, DF_STATS, DF_GRAPH */
#ifndef DFI_OBSERVE_OUTPUT_H
#define DFI_OBSERVE_OUTPUT_H

#include "../base/compiler.h"
#include "../base/file.h"
#include "../base/log.h"
#include "../base/memory.h"

DFI_SMALL_CODE_BEGIN

#define DFI_MESSAGE_REPORT_WRITE "%s=%s cannot be written: %s: %s"

/* The ends of messages: this process may not write; a write failed; there is no memory. */
struct dfi_report_kind { const char *refused, *failed, *memory; };

struct dfi_report {
    const struct dfi_report_kind *kind;
    const char *variable;         /* the setting that names it */
    char *file;                   /* NULL: not open */
    struct dfi_output to;
    int standard;                 /* it is standard output */
    int broken;                   /* a write error occurred */
    long process;                 /* the process that it belongs to */
};

static void dfi_report_no_memory(const struct dfi_report *r, const char *name)
{
    dfi_warn("%s=%s: out of memory: %s", r->variable, name, r->kind->memory);
}

/* Opens the file. 0, or -1: the reason was reported. */
static int dfi_report_open(struct dfi_report *r, const struct dfi_report_kind *kind, const char *variable,
                           const char *name)
{
    size_t bytes = strlen(name) + 1;
    const char *why;
    int n;
    r->kind = kind, r->variable = variable;
    r->process = dfi_process();
    r->broken = 0;
    if (!(r->file = (char *)dfi_malloc(bytes))) {
        dfi_report_no_memory(r, name);
        return -1;
    }
    memcpy(r->file, name, bytes);
    r->standard = !strcmp(name, "-.txt") || !strcmp(name, "-.dot");
    if (r->standard || !(n = dfi_output_open(&r->to, name, &why))) return 0;
    if (n < 0) dfi_warn(DFI_MESSAGE_REPORT_WRITE, variable, name, why, kind->failed);
    else dfi_warn("%s=%s is in use by another process: %s; name another file", variable, name, kind->refused);
    dfi_mfree(r->file);
    r->file = NULL;
    return -1;
}

static void dfi_report_close(struct dfi_report *r)
{
    if (r->file && !r->standard) dfi_output_close(&r->to);
    dfi_mfree(r->file);
    r->file = NULL;
}

static int dfi_report_is_here(const struct dfi_report *r) { return r->process == dfi_process(); }

/* In the child of a fork: what: the file is that; field: its own setting. */
static void dfi_report_forked(const struct dfi_report *r, const char *variable, const char *name, const char *what,
                              const char *field)
{
    dfi_warn("%s=%s is the %s of the process that this process was forked from: %s; set %s in it", variable, name,
             what, r->kind->refused, field);
}

/* The same as dfi_report_open for a file of text, which is continued if an earlier start has opened it; field: its own
 * setting. */
static int dfi_report_continue(struct dfi_report *r, const struct dfi_report_kind *kind, const char *variable,
                               const char *name, const char *field)
{
    if (!r->file || strcmp(r->file, name)) {
        dfi_report_close(r);
        return dfi_report_open(r, kind, variable, name);
    }
    if (dfi_report_is_here(r)) return r->broken ? -1 : 0;
    dfi_report_forked(r, variable, name, "file", field);
    return -1;
}

static void dfi_report_wrote(struct dfi_report *r, int failed)
{
    if (!failed) return;
    r->broken = 1;
    dfi_warn(DFI_MESSAGE_REPORT_WRITE, r->variable, r->file, strerror(errno), r->kind->failed);
}

/* Writes all n bytes, unless an earlier write has failed. */
static void dfi_report_put(struct dfi_report *r, const char *p, size_t n)
{
    if (r->broken || !n) return;
    errno = 0;
    dfi_report_wrote(r, r->standard ? dfi_output_standard(p, n) : dfi_output_put(&r->to, p, n));
}

/* The next bytes come at `at` bytes from the beginning of the file. */
static void dfi_report_seek(struct dfi_report *r, size_t at)
{
    if (!r->broken && !r->standard) dfi_report_wrote(r, dfi_output_seek(&r->to, at));
}

DFI_SMALL_CODE_END

#endif

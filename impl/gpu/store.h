/* store.h - measured times on disk: the text files of DF_TUNE and DF_HISTORY
 *
 * A line of such a file is a value, a tab, and the key of the value, which has no line ends. The first line identifies
 * the file: any other file is neither read nor changed. A file is replaced as a whole (base/replace.h); entries of the
 * present file with other keys are kept, so that programs that write at the same time lose at most the latest times of
 * one of them. */
#ifndef DFI_GPU_STORE_H
#define DFI_GPU_STORE_H

#include "../base/atomic.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/path.h"
#include "../base/replace.h"

#include <errno.h>

enum { DFI_FILE_LINE = 1024, DFI_FILE_LINES = 100000 }; /* bytes of a line; lines that are looked at */

struct dfi_file {
    const char *variable;            /* of the environment */
    const char *head;                /* first line */
    DFI_ATOMIC(int) said;
    /* A line. Nonzero: the value is invalid. */
    int (*take)(void *arg, const char *value, const char *key);
    /* Will `put` write this key? */
    int (*mine)(void *arg, const char *key);
    void (*put)(void *arg, FILE *f);
};

static const char *dfi_file_name(const struct dfi_file *f)
{
    const char *name = dfi_env(f->variable);
    return name && *name ? name : NULL;
}

/* Logs a warning, once in a program. why: NULL where the message has lines. */
static void dfi_file_say(struct dfi_file *f, const char *format, long lines, const char *why)
{
    /* acq_rel: relaxed would do, nothing but the word itself is communicated */
    if (dfi_exchange_acq_rel(&f->said, 1)) return;
    DFI_QUIET_FORMAT
    if (why) dfi_say(DFI_LOG_WARNING, format, f->variable, dfi_file_name(f), why);
    else dfi_say(DFI_LOG_WARNING, format, f->variable, dfi_file_name(f), lines);
    DFI_LOUD
}

/* The next line without its end, into DFI_FILE_LINE bytes; 0: there is none, -1: it is no line of ours. */
static int dfi_file_line(FILE *in, char *line)
{
    size_t n;
    int c;
    if (!fgets(line, DFI_FILE_LINE, in)) return 0;
    n = strlen(line);
    if (n && line[n - 1] == '\n') {
        line[n - 1] = 0;
        return 1;
    }
    for (c = 0; c != EOF && c != '\n';) c = getc(in); /* too long, or with a NUL in it, or cut off */
    return -1;
}

/* Opens the file behind its first line. NULL: there is none that is ours; *foreign: there is one that is not, or
 * that must not be used, and it was said so. */
static FILE *dfi_file_open(struct dfi_file *f, const char *name, int *foreign)
{
    char line[DFI_FILE_LINE];
    const char *why;
    FILE *in = dfi_open_read(name, 1, &why);
    int got;
    *foreign = why != NULL;
    if (why) dfi_file_say(f, "%s=%s is neither read nor written: %s; name a file in a folder of your own", 0, why);
    if (!in) return NULL;
    got = dfi_file_line(in, line);
    if (got == 1 && !strcmp(line, f->head)) return in;
    *foreign = got != 0 || ferror(in);
    if (*foreign) dfi_file_say(f, "%s=%s was not written by df: it is neither read nor changed; name another file",
                               0, NULL);
    fclose(in);
    return NULL;
}

/* Reads the file that the environment names, if it does. */
static void dfi_file_read(struct dfi_file *f, void *arg)
{
    const char *name = dfi_file_name(f);
    char line[DFI_FILE_LINE], *tab;
    long wrong = 0, left = DFI_FILE_LINES;
    int foreign, got;
    FILE *in;
    if (!name) return;
    if (!(in = dfi_file_open(f, name, &foreign))) return;
    while (left-- > 0 && (got = dfi_file_line(in, line)) != 0) {
        if (got < 0 || !(tab = strchr(line, '\t'))) {
            wrong++;
            continue;
        }
        *tab = 0;
        wrong += f->take(arg, line, tab + 1) != 0;
    }
    fclose(in);
    if (wrong) dfi_file_say(f, "%s=%s: lines that df did not write are left out: %ld", wrong, NULL);
}

/* The new file: lines of the present one with other keys, then ours. Nonzero: it could not be written. */
static int dfi_file_write_to(struct dfi_file *f, void *arg, const char *name, FILE *out)
{
    char line[DFI_FILE_LINE], *tab;
    long left = DFI_FILE_LINES;
    int foreign, got;
    FILE *in = dfi_file_open(f, name, &foreign);
    fprintf(out, "%s\n", f->head);
    while (in && left-- > 0 && (got = dfi_file_line(in, line)) != 0)
        if (got > 0 && (tab = strchr(line, '\t')) != NULL && !f->mine(arg, tab + 1)) fprintf(out, "%s\n", line);
    if (in) fclose(in);
    f->put(arg, out);
    return ferror(out) || fflush(out);
}

/* Writes the file that the environment names, if it does. */
static void dfi_file_write(struct dfi_file *f, void *arg)
{
    const char *name = dfi_file_name(f), *why;
    struct dfi_replaced r;
    struct dfi_hush h;
    FILE *in;
    int foreign, failed = 1;
    if (!name) return;
    if ((in = dfi_file_open(f, name, &foreign)) != NULL) fclose(in);
    if (foreign) return;
    dfi_hush_begin(&h);
    if (dfi_replace(&r, name, &why)) failed = dfi_replace_end(&r, name, dfi_file_write_to(f, arg, name, r.f));
    dfi_hush_end(&h, failed);
    if (failed) dfi_file_say(f, "%s=%s cannot be written: %s: the measurements are lost when this run ends", 0,
                             why ? why : strerror(errno));
}

/* `text` as a part of a key: without line ends and tabs, cut off at the end of the room. */
static void dfi_file_key(char *key, size_t bytes, const char *text)
{
    size_t n = strlen(key);
    for (; *text && n + 1 < bytes; text++) key[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    key[n] = 0;
}

/* The same for the name of a file: without its folder. */
static void dfi_file_key_of_file(char *key, size_t bytes, const char *path)
{
    const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
    if (back && (!slash || back > slash)) slash = back;
    dfi_file_key(key, bytes, slash ? slash + 1 : path);
}

#endif

/* dfi_gpu_file.h - times measured by one run for the next: the text files of DF_TUNE and DF_HISTORY
 *
 * A line of such a file is a value, a tab, and the key that the value belongs to, which has no line ends. Its first line says what
 * it is: another file is neither read nor changed. A file is written anew under another name and renamed, so that no program ever
 * reads half of one; what the present file has of other keys is taken over, so that programs that write at the same time
 * lose at most the latest times of one of them. */
#ifndef DFI_GPU_FILE_H
#define DFI_GPU_FILE_H

#include <stdio.h>
#include <time.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

enum { DFI_FILE_LINE = 1024, DFI_FILE_LINES = 100000 }; /* bytes of a line; lines that are looked at */

struct dfi_file {
    const char *variable;            /* of the environment */
    const char *head;                /* first line */
    DFI_ATOMIC(int) said;
    /* A line. Nonzero: the value is not what it should be. */
    int (*take)(void *arg, const char *value, const char *key);
    /* Will `put` write this key? */
    int (*mine)(void *arg, const char *key);
    void (*put)(void *arg, FILE *f);
};

static const char *dfi_file_name(const struct dfi_file *f)
{
    const char *name = getenv(f->variable);
    return name && *name ? name : NULL;
}

/* A program says this once. */
static void dfi_file_say(struct dfi_file *f, int message, long lines)
{
    /* acq_rel: relaxed would do, nothing but the word itself is communicated */
    if (!dfi_exchange_acq_rel(&f->said, 1)) dfi_log(message, f->variable, dfi_file_name(f), lines);
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

/* Opens the file behind its first line. NULL: there is none; *foreign: there is one that is not ours. */
static FILE *dfi_file_open(const struct dfi_file *f, const char *name, int *foreign)
{
    char line[DFI_FILE_LINE];
    FILE *in = fopen(name, "r");
    int got;
    *foreign = 0;
    if (!in) return NULL;
    got = dfi_file_line(in, line);
    if (got == 1 && !strcmp(line, f->head)) return in;
    *foreign = got != 0 || ferror(in);
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
    if (!(in = dfi_file_open(f, name, &foreign))) {
        if (foreign) dfi_file_say(f, DFI_LOG_FILE_FOREIGN, 0);
        return;
    }
    while (left-- > 0 && (got = dfi_file_line(in, line)) != 0) {
        if (got < 0 || !(tab = strchr(line, '\t'))) {
            wrong++;
            continue;
        }
        *tab = 0;
        wrong += f->take(arg, line, tab + 1) != 0;
    }
    fclose(in);
    if (wrong) dfi_file_say(f, DFI_LOG_FILE_LINES, wrong);
}

/* The new file: what the present one has of other keys, then ours. Nonzero: it could not be written. */
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
    return ferror(out);
}

/* Writes the file that the environment names, if it does. */
static void dfi_file_write(struct dfi_file *f, void *arg)
{
    const char *name = dfi_file_name(f);
    size_t room = name ? strlen(name) + 80 : 0;
    char *other;
    FILE *out;
    int foreign, failed = 1;
    if (!name) return;
    if ((out = dfi_file_open(f, name, &foreign)) != NULL) fclose(out);
    if (foreign) {
        dfi_file_say(f, DFI_LOG_FILE_FOREIGN, 0);
        return;
    }
    if ((other = (char *)dfi_malloc(room)) != NULL) {
        long self = 0;
#if defined(__unix__) || defined(__APPLE__)
        self = (long)getpid();
#else
        self = (long)time(NULL);
#endif
        snprintf(other, room, "%s.%ld.%p.tmp", name, self, (void *)&out); /* nobody else has this name at this time */
        if ((out = fopen(other, "w")) != NULL) {
            failed = dfi_file_write_to(f, arg, name, out);
            failed |= fclose(out) != 0;
#if !defined(__unix__) && !defined(__APPLE__)
            if (!failed) remove(name); /* there, rename does not replace */
#endif
            if (failed || rename(other, name)) {
                remove(other);
                failed = 1;
            }
        }
        dfi_mfree(other);
    }
    if (failed) dfi_file_say(f, DFI_LOG_FILE_WRITE, 0);
}

/* `text` as a part of a key: without line ends and tabs. What does not fit is left out. */
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

/* log.h - schedule logs: the files of DF_SCHEDULE=record:FILE and replay:FILE
 *
 * A line with the format and the kind of machine that can read it, followed by steps of 8 bytes, in
 * the order and byte order of the run. A step is written immediately, without a buffer, so that a
 * program that crashes leaves all steps that led there. The steps are those of
 * observe/schedule/baton.h. */
#ifndef DFI_OBSERVE_SCHEDULE_LOG_H
#define DFI_OBSERVE_SCHEDULE_LOG_H

#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../base/path.h"

DFI_SMALL_CODE_BEGIN

#define DFI_MESSAGE_RECORD_WRITE "%s%s cannot be written: %s: the run is not recorded, or not to its end"

/* The ways in which the holder loses the baton, and other entries. */
enum {
    DFI_STEP_PASS,  /* at a point where it could have continued */
    DFI_STEP_DROP,  /* it parked, or left df */
    DFI_STEP_AWAY,  /* it stayed away for too long */
    DFI_STEP_LOOK,  /* there was no holder; worker `who` checks for deadlock (more/deadlock.h) */
    DFI_STEP_STAY,  /* it keeps the baton: an entry only for the check */
    DFI_STEP_START, /* df starts: points: the seed; who: number of workers; check: of the settings */
    DFI_STEP_END    /* df or the program ends; who: 1: all workers were idle */
};
enum { DFI_STEP_STAY_POINTS = 1024, DFI_STEP_KIND = 10, DFI_STEPS_READ = 512 };

struct dfi_schedule_step {
    uint32_t points;  /* points of the last holder since it got the baton, or since DFI_STEP_STAY */
    uint16_t who;     /* the next holder: slot, and the kind from bit DFI_STEP_KIND on */
    uint16_t check;   /* of the bodies that began meanwhile */
};

struct dfi_schedule_log {
    struct dfi_output out;
    FILE *in;                /* NULL: the log is written */
    const char *origin;      /* the setting that names the file, for messages */
    char *file;
    long process;
    uint32_t position;       /* number of steps so far, for messages */
    int complete;            /* reading: the last step is DFI_STEP_END */
    unsigned n, at;          /* steps read; and used of those */
    struct dfi_schedule_step step[DFI_STEPS_READ];
};

static const char dfi_schedule_log_head[] = "df record 1, %u bytes a pointer\n";
enum { DFI_SCHEDULE_LOG_HEAD = 40 };
static void dfi_schedule_log_title(char *line)
{
    const uint32_t one = 1;
    memset(line, 0, DFI_SCHEDULE_LOG_HEAD);
    snprintf(line, DFI_SCHEDULE_LOG_HEAD - 4, dfi_schedule_log_head, (unsigned)sizeof(void *));
    memcpy(line + DFI_SCHEDULE_LOG_HEAD - 4, (const void *)&one, 4); /* the byte order */
}

static void dfi_schedule_log_free(struct dfi_schedule_log *r)
{
    if (r->in) fclose(r->in);
    else dfi_output_close(&r->out);
    dfi_mfree(r->file);
    dfi_mfree(r);
}

/* Reads the next steps. Zero: there are no more. */
static int dfi_schedule_log_fill(struct dfi_schedule_log *r)
{
    r->at = 0;
    r->n = (unsigned)fread((void *)r->step, sizeof r->step[0], DFI_STEPS_READ, r->in);
    return r->n != 0;
}

/* The next step of a log that is read, or NULL at its end. */
static const struct dfi_schedule_step *dfi_schedule_log_next(struct dfi_schedule_log *r)
{
    return r->at < r->n || dfi_schedule_log_fill(r) ? &r->step[r->at] : NULL;
}
static void dfi_schedule_log_used(struct dfi_schedule_log *r) { r->at++, r->position++; }

static unsigned dfi_step_kind(const struct dfi_schedule_step *s) { return (unsigned)s->who >> DFI_STEP_KIND; }
static unsigned dfi_step_who(const struct dfi_schedule_step *s) { return s->who & ((1u << DFI_STEP_KIND) - 1); }

/* 0, or -1 with errno set. */
static int dfi_schedule_log_put(struct dfi_schedule_log *r, uint32_t points, unsigned kind, unsigned who,
                                uint32_t check)
{
    struct dfi_schedule_step s;
    s.points = points;
    s.who = (uint16_t)(kind << DFI_STEP_KIND | who);
    s.check = (uint16_t)check;
    r->position++;
    return dfi_output_put(&r->out, (const char *)&s, sizeof s) ? -1 : 0;
}

/* Opens a log to read (replay) or to write. NULL: the reason was reported. */
static struct dfi_schedule_log *dfi_schedule_log_open(const char *name, const char *origin, int replay)
{
    char title[DFI_SCHEDULE_LOG_HEAD], found[DFI_SCHEDULE_LOG_HEAD];
    struct dfi_schedule_log *r = (struct dfi_schedule_log *)dfi_malloc(sizeof *r);
    char *file = (char *)dfi_malloc(strlen(name) + 1);
    const char *why;
    int busy;
    if (!r || !file) {
        dfi_mfree(r), dfi_mfree(file);
        dfi_warn("%s%s: out of memory: the run is neither recorded nor replayed", origin, name);
        return NULL;
    }
    memset((void *)r, 0, sizeof *r);
    r->file = strcpy(file, name), r->origin = origin;
    r->process = dfi_process();
    dfi_schedule_log_title(title);
    if (replay) {
        if (!(r->in = dfi_open_read(name, 0, &why))) dfi_warn("%s%s cannot be read: %s: the program runs freely",
                                                              origin, name, why ? why : strerror(ENOENT));
        else if (fread(found, 1, sizeof found, r->in) == sizeof found && !memcmp(found, title, sizeof title)) return r;
        else {
            dfi_warn("%s%s is not a record of this version of df on this kind of machine: the program runs freely; "
                     "record again", origin, name);
            fclose(r->in);
        }
    } else if ((busy = dfi_output_open(&r->out, name, &why)) > 0) dfi_warn("%s%s is in use by another process: this "
                                                                           "run is not recorded; name another file",
                                                                           origin, name);
    else if (busy) dfi_warn(DFI_MESSAGE_RECORD_WRITE, origin, name, why);
    else if (dfi_output_put(&r->out, title, sizeof title)) {
        dfi_warn(DFI_MESSAGE_RECORD_WRITE, origin, name, strerror(errno));
        dfi_output_close(&r->out);
    } else return r;
    dfi_mfree(r), dfi_mfree(file);
    return NULL;
}

DFI_SMALL_CODE_END

#endif

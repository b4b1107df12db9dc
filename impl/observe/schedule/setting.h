/* setting.h - the schedule that DF_SCHEDULE or df_config.schedule asks for */
#ifndef DFI_OBSERVE_SCHEDULE_SETTING_H
#define DFI_OBSERVE_SCHEDULE_SETTING_H

#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/log.h"
#include "../../api/config.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_SEED_MOST = 1000000000 };

/* The schedule of a run: a seed, and a file for a record or a replay. */
struct dfi_schedule {
    unsigned seed;      /* 0: none */
    int replays;        /* the file is replayed, not recorded */
    const char *file;   /* NULL: none */
    const char *origin; /* prefix of the file name in messages: "DF_SCHEDULE=record:" */
};

/* Parses seed:NUMBER, record:FILE, replay:FILE or seed:NUMBER,record:FILE. The rest of the text is the file name,
 * which must not contain ",seed:", ",record:" or ",replay:". Returns NULL, or the rule that the text breaks. */
static const char *dfi_parse_schedule(const char *text, struct dfi_schedule *s)
{
    const char *p = text;
    memset((void *)s, 0, sizeof *s);
    if (!strncmp(p, "seed:", 5)) {
        size_t digits = strspn(p += 5, "0123456789");
        char number[12] = "";
        long v;
        if (digits < sizeof number) memcpy(number, p, digits);
        p += digits;
        if ((*p && *p != ',') || dfi_parse_number(number, &v) || v < 1 || v > DFI_SEED_MOST)
            return "seed: is followed by a number from 1 to 1000000000";
        s->seed = (unsigned)v;
        if (!*p++) return NULL;
    }
    s->replays = !strncmp(p, "replay:", 7);
    if (!s->replays && strncmp(p, "record:", 7) != 0)
        return "write seed:NUMBER, record:FILE, replay:FILE, or seed:NUMBER,record:FILE";
    s->file = p += 7;
    if (!*p) return "record: and replay: are followed by the name of a file";
    if (strstr(p, ",seed:")) return "seed: comes first, and the name of a file last";
    if (strstr(p, ",record:") || strstr(p, ",replay:")) return "a run is either recorded or replayed, with one file";
    if (s->replays && s->seed) return "a replay has the seed of its record: leave out seed:";
    return NULL;
}

/* Variables and fields of version 0.1, supported until version 1.0. */
static void dfi_schedule_old(struct dfi_schedule *s, unsigned seed, const char *record, const char *replay,
                             const char *record_origin, const char *replay_origin)
{
    if (seed) s->seed = seed;
    if (record && *record) {
        if (s->replays) dfi_warn("%s%s is ignored, because this run is a replay; set one of the two",
                                 record_origin, record);
        else s->file = record, s->origin = record_origin;
    }
    if (replay && *replay) {
        if (s->file && !s->replays) dfi_warn("%s%s is ignored, because this run is a replay; set one of the two",
                                             s->origin, s->file);
        s->file = replay, s->origin = replay_origin, s->replays = 1;
    }
}
static void dfi_schedule_old_variables(struct dfi_schedule *s)
{
    char seed[20] = "";
    dfi_schedule_old(s, (unsigned)dfi_env_number("DF_CHAOS", 1, DFI_SEED_MOST, 0, "a seed from 1 to 1000000000"),
                     dfi_env("DF_RECORD"), dfi_env("DF_REPLAY"), "DF_RECORD=", "DF_REPLAY=");
    if (!s->seed && !s->file) return;
    if (s->seed && !s->replays) snprintf(seed, sizeof seed, "seed:%u", s->seed);
    dfi_warn("DF_CHAOS, DF_RECORD and DF_REPLAY will be ignored from version 1.0 on: write DF_SCHEDULE=%s%s%s%s", seed,
             *seed && s->file ? "," : "", !s->file ? "" : s->replays ? "replay:" : "record:", s->file ? s->file : "");
}

static void dfi_schedule_read(struct dfi_schedule *s, const df_config *c)
{
    int field = c && c->schedule && *c->schedule;
    const char *name = field ? "df_config.schedule" : "DF_SCHEDULE";
    const char *text = field ? c->schedule : dfi_env("DF_SCHEDULE"), *rule;
    memset((void *)s, 0, sizeof *s);
    if (text && *text) {
        rule = dfi_parse_schedule(text, s);
        if (rule) {
            dfi_warn("%s='%s' is ignored: %s", name, text, rule);
            memset((void *)s, 0, sizeof *s);
        }
        if (field) s->origin = s->replays ? "df_config.schedule=replay:" : "df_config.schedule=record:";
        else s->origin = s->replays ? "DF_SCHEDULE=replay:" : "DF_SCHEDULE=record:";
    } else dfi_schedule_old_variables(s);
    if (c && !field) dfi_schedule_old(s, c->chaos, c->record, c->replay, "df_config.record=", "df_config.replay=");
}

DFI_SMALL_CODE_END

#endif

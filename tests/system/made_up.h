/* made_up.h - files in a folder `root` that stand for those of the system, for tests of what df reads there */
#ifndef MADE_UP_H
#define MADE_UP_H

#include <string.h>
#include <sys/stat.h>
#include "../test.h"

static char root[200];

/* Writes root, inside, path one after the other, making the directories. */
static void made_up(const char *inside, const char *path, const char *text)
{
    char full[4096];
    FILE *f;
    snprintf(full, sizeof full, "%s%s%s", root, inside, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = 0;
        mkdir(full, 0700);
        *p = '/';
    }
    CHECK((f = fopen(full, "w")) != NULL);
    fputs(text, f);
    fclose(f);
}
static void clear(void)
{
    char command[2 * sizeof root + 30];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", root, root);
    CHECK(system(command) == 0);
}

#endif

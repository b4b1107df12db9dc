/* scratch.h - a pattern for mkstemp or mkdtemp: in TMPDIR, or where the system has such files */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

enum { SCRATCH = 200 }; /* bytes; a longer TMPDIR makes a pattern that they refuse */

static char *scratch(char *name, const char *what)
{
    const char *folder = getenv("TMPDIR");
    snprintf(name, SCRATCH, "%s/%s_XXXXXX", folder && *folder ? folder : P_tmpdir, what);
    return name;
}

#endif

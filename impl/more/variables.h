/* variables.h - unknown environment variables whose names begin with DF_
 *
 * When df first starts in a process, a warning names each of them, with the nearest variable of df. Macros of df in
 * the environment have a warning of their own. */
#ifndef DFI_MORE_VARIABLES_H
#define DFI_MORE_VARIABLES_H

#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../work/settings.h"

#if !defined(DF_SERIAL)
DFI_SMALL_CODE_BEGIN

enum { DFI_VARIABLE_MOST = 32, DFI_VARIABLE_NEAR = 2 }; /* characters of a name; edits between names that are near */

/* The names in docs/reference/environment.md without DF_, and the old names of the parts of DF_SCHEDULE. */
static const char dfi_variables[] =
    " WORKERS CPUSET DEQUE STACK WINDOW DEFER DETERMINISTIC RENAME_BYTES SPECULATE PATIENCE STALL GRAPH GRAPH_DEPTH"
    " TRACE STATS PROGRESS SCHEDULE CHECK_EXIT GPU GPU_SIM GPU_SIM_SEED GPU_SIM_BROKEN GPU_SIM_FAIL GPU_MEMORY"
    " CUDA_LIBRARY NVRTC_LIBRARY KERNEL_CACHE TUNE HISTORY OWM_PROCESSES OWM_BYTES MPI_FAKE CHAOS RECORD REPLAY ";
static const char dfi_macros[] =
    " CHECK DEBUG SERIAL MINIMAL SMALL COPY IMPLEMENTATION DEVELOP STM_ENGINE STM_VALUES STM_RECORDS STM_CLOSED"
    " STM_SETJMP STM_ORECS STM_SITES STM_CLOCK USE_OPENCL USE_CUDA GPU_EXACT OWM_COPIES ";

/* Does the list have the name of n characters? */
static int dfi_variable_in(const char *list, const char *name, size_t n)
{
    const char *p;
    for (p = list; p; p = strstr(p + 1, " "))
        if (!strncmp(p + 1, name, n) && p[n + 1] == ' ') return 1;
    return 0;
}

/* The number of characters to insert, delete or replace to get from one name to the other (Levenshtein). */
static unsigned dfi_variable_distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned row[DFI_VARIABLE_MOST + 1], left, corner, best;
    size_t i, j;
    for (j = 0; j <= m; j++) row[j] = (unsigned)j;
    for (i = 1; i <= n; i++)
        for (j = 1, corner = row[0]++, left = row[0]; j <= m; j++, left = best) {
            best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (corner + 1 < best) best = corner + 1;
            if (left + 1 < best) best = left + 1;
            row[j] = best;
        }
    return row[m];
}

static void dfi_variable_unknown(const char *name, int n)
{
    char other[DFI_VARIABLE_MOST + 4];
    const char *p = dfi_variables, *nearest = NULL;
    unsigned least = DFI_VARIABLE_NEAR + 1, distance;
    for (p++; *p; p += strcspn(p, " ") + 1) {
        distance = dfi_variable_distance(name, (size_t)n, p, strcspn(p, " "));
        if (distance < least) nearest = p, least = distance;
    }
    if (nearest) {
        snprintf(other, sizeof other, "DF_%.*s", (int)strcspn(nearest, " "), nearest);
        dfi_warn("%.*s is set in the environment, and df has no such variable: did you mean %s?",
                 n + 3, name - 3, other);
    } else
        dfi_warn("%.*s is set in the environment, and df has no such variable: docs/reference/environment.md lists "
                 "those that it has", n + 3, name - 3);
}

static void dfi_variables_look(void)
{
    static int looked; /* pool lock */
    char **v = dfi_os_environment();
    if (looked++ || dfi_privileged()) return;
    for (; v && *v; v++) {
        const char *name = *v + 3;
        size_t n = strcspn(*v, "=");
        if (strncmp(*v, "DF_", 3) || (n -= 3) == 0 || n > (size_t)DFI_VARIABLE_MOST ||
            n != strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")) continue;
        if (dfi_variable_in(dfi_variables, name, n)) continue;
        if (dfi_variable_in(dfi_macros, name, n) || !strncmp(name, "WITH_", 5) || !strncmp(name, "WITHOUT_", 8))
            dfi_warn("%.*s is set in the environment, and is a macro: it is chosen when the program is compiled, for "
                     "example by -D%.*s=1", (int)n + 3, *v, (int)n + 3, *v);
        else dfi_variable_unknown(name, (int)n);
    }
}
#define dfi_up_variables_by , dfi_variables_look

DFI_SMALL_CODE_END
#elif !defined(DF_SERIAL)
#endif

#endif

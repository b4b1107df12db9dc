/* env.h - access to environment variables
 *
 * dfi_env is the only function of df that reads them. The user who starts a set-user-ID program chooses its
 * variables, but must not choose which files it writes or which libraries it loads. A process with more privileges
 * than that user therefore ignores all variables of df. */
#ifndef DFI_BASE_ENV_H
#define DFI_BASE_ENV_H

#include "compiler.h"
#include "log.h"

#include <stdlib.h>

#define DFI_MESSAGE_BAD_CONFIG "df_config.%s = %ld is not %s: the environment variable or the default is used"
#define DFI_MESSAGE_BAD_ENV "%s='%s' is not %s: %s"

#if DFI_UNIX
#include <unistd.h>
#if DFI_LINUX
/* declared here because <sys/auxv.h> defines hundreds of macros */
extern unsigned long dfi_sys_auxiliary(unsigned long type) __asm__("getauxval");
#endif

/* Does the process run set-user-ID, set-group-ID, with file capabilities (AT_SECURE), or with effective IDs that
 * differ from the real ones? */
static int dfi_privileged(void)
{
#if DFI_LINUX
    if (dfi_sys_auxiliary(23 /* AT_SECURE */)) return 1;
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
    if (issetugid()) return 1;
#endif
    return getuid() != geteuid() || getgid() != getegid();
}
#else
static int dfi_privileged(void) { return 0; }
#endif

DFI_SMALL_CODE_BEGIN

/* The value of a variable, or NULL if it is not set or is ignored. */
static const char *dfi_env(const char *name)
{
    const char *text = getenv(name);
    if (!text || !*text || !dfi_privileged()) return text;
    dfi_warn_once("%s and all other variables of df are ignored: this process has privileges that the user who "
                  "started it lacks, such as set-user-ID; use df_config", name);
    return NULL;
}

/* Parses a decimal number without any other characters. -1: malformed or too large. */
DFI_UNUSED static int dfi_parse_number(const char *text, long *value)
{
    long v = 0;
    const char *p = text;
    if (!*p) return -1;
    for (; *p; p++) {
        if (*p < '0' || *p > '9' || v > 200000000) return -1;
        v = 10 * v + (*p - '0');
    }
    *value = v;
    return 0;
}

enum { DFI_PATIENCE_MOST = 1000000 }; /* seconds: the largest DF_PATIENCE, of tasks and of processes */

/* The number that a variable has, which may end in K, M or G for 2^10, 2^20 or 2^30; otherwise: it has none, or not one
 * from least to most. */
DFI_UNUSED static long dfi_env_number(const char *name, long least, long most, long otherwise, const char *what)
{
    const char *text = dfi_env(name);
    char digits[16];
    size_t length = text ? strlen(text) : 0;
    long v, unit = 1;
    if (!length) return otherwise;
    switch (text[length - 1]) {
    case 'K': unit = 1l << 10; break;
    case 'M': unit = 1l << 20; break;
    case 'G': unit = 1l << 30; break;
    default: break;
    }
    if (unit > 1) length--;
    if (length < sizeof digits) {
        memcpy(digits, text, length);
        digits[length] = 0;
        if (dfi_parse_number(digits, &v) == 0 && v <= most / unit && v * unit >= least) return v * unit;
    }
    dfi_warn(DFI_MESSAGE_BAD_ENV, name, text, what, "the default is used");
    return otherwise;
}

/* May a vendor's OpenCL or CUDA loader be loaded? The loaders choose libraries by environment variables of their
 * own. */
static DFI_UNUSED int dfi_may_load(void)
{
    if (!dfi_privileged()) return 1;
    dfi_warn_once("OpenCL and CUDA are not loaded: this process has privileges that the user who started it lacks, "
                  "and variables of that user choose which libraries they load; the host runs the kernels");
    return 0;
}

DFI_SMALL_CODE_END

#endif

/* devices.h - runs a test on simulated devices of several numbers and sizes, and on the host alone; needs df_gpu.h
 * before it
 *
 * If DF_GPU is set the test runs once, on those devices. Every run begins with a new pool of WORKERS workers, whose
 * messages are kept in `said` (hear.h); a message that the test does not take away (heard) is an error. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdlib.h>
#include <string.h>
#include "../system/hear.h"

enum { WORKERS = 3 };

/* What was said since the last time, as one text. */
DFI_UNUSED static const char *heard(void)
{
    static char text[8000];
    size_t n = 0;
    int i;
    pthread_mutex_lock(&said_lock);
    text[0] = 0;
    for (i = 0; i < n_said && n + 1 < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", said[i]);
    n_said = 0;
    pthread_mutex_unlock(&said_lock);
    return text;
}

DFI_UNUSED static void set(const char *name, const char *value)
{
    if (value) setenv(name, value, 1);
    else unsetenv(name);
}

static void start_devices(int workers)
{
    df_config config = { .workers = workers, .log = hear };
    CHECK(df_start(&config) == DF_OK);
}

static void stop_devices(const char *where)
{
    const char *text;
    df_stop();
    text = heard();
    if (*text) test_fail(where, 0, text);
}

/* A run on simulated devices, as DF_GPU_SIM says; NULL: on the host. */
static void run_on(const char *devices, void (*test)(void), const char *where)
{
    setenv("DF_GPU", devices ? "sim" : "none", 1);
    set("DF_GPU_SIM", devices);
    start_devices(WORKERS);
    test();
    stop_devices(where);
}

DFI_UNUSED static void run_everywhere(void (*test)(void), const char *where)
{
    static const char *const devices[] = { NULL, "1:1M", "2:1M", "4:1M", "2:64K" };
    size_t i;
    if (getenv("DF_GPU") && strcmp(getenv("DF_GPU"), "sim") && strcmp(getenv("DF_GPU"), "none")) {
        start_devices(WORKERS);
        test();
        stop_devices(where);
        return;
    }
    for (i = 0; i < sizeof devices / sizeof *devices; i++) run_on(devices[i], test, where);
}
#define EVERYWHERE(test) run_everywhere(test, #test)
#define ON(devices, test) run_on(devices, test, #test)

/* A device for the k-th launch of something. */
DFI_UNUSED static int device_of(int k) { return 1 + k % df_gpu_devices(); }

#endif

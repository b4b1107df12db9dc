/* hear.h - a logger that keeps what df says (df_config.log = hear), for tests of messages. Needs df.h before it. */
#ifndef HEAR_H
#define HEAR_H

#include <pthread.h>
#include "../test.h"

#define HERE __FILE__ ":" DFI_STR(__LINE__)

enum { MOST = 64 };
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;
static char said[MOST][500];
static int n_said;

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    pthread_mutex_lock(&said_lock);
    CHECK(n_said < MOST && (level == 1 || level == 2));
    snprintf(said[n_said++], sizeof said[0], "%d %s", level, text);
    pthread_mutex_unlock(&said_lock);
}

#endif

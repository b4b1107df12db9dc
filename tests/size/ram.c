/* ram.c - the memory that df takes at its start: prints the bytes from malloc that one worker with a deque of 64
 * keeps */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t kept;
static void *count(size_t bytes)
{
    size_t *p = malloc(bytes + 16);
    if (!p) return NULL;
    *p = bytes, kept += bytes;
    return (char *)p + 16;
}
static void discount(void *p)
{
    if (!p) return;
    p = (char *)p - 16;
    kept -= *(size_t *)p;
    free(p);
}
#define DF_MALLOC(bytes) count(bytes)
#define DF_FREE(p) discount(p)
#define DF_IMPLEMENTATION
#include "../../df.h"

int main(void)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.workers = 1, c.deque = 64;
    if (df_start(&c) != DF_OK) return 1;
    printf("%lu\n", (unsigned long)kept);
    df_stop();
    return 0;
}

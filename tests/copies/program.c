/* program.c - a program with two or more copies of df, which are parts (copy.c) of any kinds
 *
 * -DLINKED    it is linked with parts a and b. Arguments: 1: both have one pool, 0: each has its own; ab or ba: the order
 *             in which they run
 * otherwise   it loads libraries with dlopen. Arguments: 1 or 0 as above; local or global; then libraries in the order in
 *             which they are loaded and run, each after the name of its part
 * Returns 0 or prints the mistake. Run with DF_WORKERS=3. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static struct copy {
    int (*works)(void);
    const void *(*pool)(void);
} copy[MOST];
static int copies;

#ifdef LINKED
int a_works(void), b_works(void);
const void *a_pool(void), *b_pool(void);

static int find(int argc, char **argv)
{
    struct copy a = { a_works, a_pool }, b = { b_works, b_pool };
    if (argc < 3) return 1;
    copy[0] = strcmp(argv[2], "ab") ? b : a;
    copy[1] = strcmp(argv[2], "ab") ? a : b;
    copies = 2;
    return 0;
}
#else
/* pointer: the address of a pointer to a function, because ISO C has no cast from an object to one */
static int function(void *pointer, void *library, const char *part, const char *name)
{
    char whole[64];
    void *symbol;
    snprintf(whole, sizeof whole, "%s_%s", part, name);
    symbol = dlsym(library, whole);
    if (!symbol) printf("%s\n", dlerror());
    memcpy(pointer, &symbol, sizeof symbol);
    return !symbol;
}
static int find(int argc, char **argv)
{
    int i, scope = argc > 2 && strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    for (i = 3; i + 1 < argc && copies < MOST; i += 2, copies++) {
        void *library = dlopen(argv[i + 1], RTLD_NOW | scope);
        if (!library) printf("%s\n", dlerror());
        if (!library || function(&copy[copies].works, library, argv[i], "works") ||
            function(&copy[copies].pool, library, argv[i], "pool") || copy[copies].works()) return 1;
    }
    return copies < 2;
}
#endif

int main(int argc, char **argv)
{
    int failed = find(argc, argv), round, i;
    for (round = 0; round < 2; round++)
        for (i = 0; i < copies; i++) failed |= copy[i].works();
    for (i = 1; i < copies && !failed; i++)
        if ((copy[i].pool() == copy[0].pool()) != atoi(argv[1])) {
            failed = 1;
            printf("copies 0 and %d: %s pool\n", i, copy[i].pool() == copy[0].pool() ? "one" : "not one");
        }
    return failed;
}

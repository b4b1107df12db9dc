/* check.h - CHECK for the programs of this folder */
#include <cstdio>
#include <cstdlib>
#define CHECK(c) ((c) ? (void)0 : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #c), std::exit(1)))

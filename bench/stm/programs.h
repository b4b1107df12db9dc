/* Six programs with the shapes of those of STAMP: one source for all systems.
 *
 * Each has a function of its name, which sets a problem up that is n operations long for a fast system, has it solved
 * by all threads, and ends the program if the result is wrong. The work and the checksum are the same for every system
 * and number of threads.
 * Source: Minh, Chung, Kozyrakis, Olukotun, "STAMP: Stanford transactional applications for multi-processing", IISWC
 * 2008; the shapes, as that paper describes them. */
#ifndef STM_PROGRAMS_H
#define STM_PROGRAMS_H
#include "threads.h"

typedef struct {
    double seconds;                  /* without setup and check */
    long tasks;
    uint64_t sum;
} outcome;

#include "intruder.h"
#include "kmeans.h"
#include "labyrinth.h"
#include "ssca2.h"
#include "vacation.h"
#include "yada.h"

static const struct {
    const char *name;
    outcome (*solve)(long n);
} programs[] = {
    { "kmeans", kmeans }, { "intruder", intruder }, { "labyrinth", labyrinth },
    { "vacation", vacation }, { "ssca2", ssca2 }, { "yada", yada },
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };
#endif

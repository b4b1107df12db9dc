/* hostile.h - names that other headers and programs define, and that the headers of df must not depend on
 *
 * Included after the system headers and before those of df. Each stands for something no compiler accepts,
 * so that any use is an error. HOSTILE_WORDS: also everyday words, which the part of them that every
 * user includes survives; for the implementation there is always a file of its own (impl/df.c). */
#include "system.h"

/* windows.h and its relatives */
#undef CONST
#undef ERROR
#undef FALSE
#undef TRUE
#undef VOID
#undef max
#undef min
#define IN @
#define OUT @
#define INOUT @
#define OPTIONAL @
#define ERROR @
#define CONST @
#define VOID @
#define THIS @
#define DELETE @
#define DIFFERENCE @
#define TRUE @
#define FALSE @
#define near @
#define far @
#define small @
#define interface @
#define min(a, b) @
#define max(a, b) @

/* complex.h, X11, param.h, old C */
#undef MAX
#undef MIN
#undef OK
#undef PAGE_SIZE
#define MAX @
#define MIN @
#define OK @
#define PAGE_SIZE @
#define None @
#define Bool @
#define Status @
#define Success @
#define Always @
#define register_t @
#define reg @

/* single letters, of programs and of complex.h */
#undef I
#define A @
#define B @
#define C @
#define D @
#define E @
#define F @
#define G @
#define H @
#define I @
#define J @
#define K @
#define L @
#define M @
#define N @
#define O @
#define P @
#define Q @
#define R @
#define S @
#define T @
#define U @
#define V @
#define W @
#define X @
#define Y @
#define Z @

/* kernels, and other task libraries */
#define likely(c) @
#define unlikely(c) @
#define barrier() @
#define current @
#define container_of(p, T, m) @
#define CACHE_LINE @
#define CACHE_LINE_SIZE @
#define TASK @
#define TASK_1(R, f) @
#define SPAWN @
#define SYNC @
#define CALL @
#define PARALLEL @
#define LIST_HEAD(a, b) @
#define LIST_ENTRY(T) @
#define UNUSED @
#define INLINE @
#define ASSERT(c) @
#define STATIC_ASSERT @
#define DEBUG @
#define TRACE @
#define LOG @

/* what a preprocessor library might call its helpers */
#define CAT(a, b) @
#define STR(x) @
#define COUNT(x) @
#define COMMA @
#define SECOND @
#define EACH @
#define NORM @

#ifdef HOSTILE_WORDS
#define in @
#define inout @
#define out @
#define commute @
#define concurrent @
#define reduce @
#define array @
#define block @
#define range @
#define value @
#define wrong @
#define head @
#define limit @
#define node @
#define pool @
#define self @
#define tail @
#define task @
#endif

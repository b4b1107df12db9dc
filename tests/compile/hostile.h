/* What other headers define: names that df.h must not depend on.
 *
 * Included between the system headers that df.h uses and df.h. The definitions are nonsense on
 * purpose: a use of one of these words is an error. */
#include "system.h"

/* windows.h and its relatives */
#define IN @
#define OUT @
#define INOUT @
#define OPTIONAL @
#define ERROR @
#define near @
#define far @
#define small @
#define interface @
#define CONST @
#define VOID @
#define THIS @
#define DELETE @
#define DIFFERENCE @
#define min(a, b) @
#define max(a, b) @
/* complex.h, ctype.h-like, termios, curses, X11 */
#undef I
#define I @
#define B0 @
#define ECHO @
#define None @
#define Bool @
#define Status @
#define Success @
#define Always @
#define True @
#define False @
#define TRUE @
#define FALSE @
#define OK @
/* kernels, queues, other task libraries */
#define likely(c) @
#define unlikely(c) @
#define barrier() @
#define current @
#define container_of(p, T, m) @
#define offset @
#define TASK @
#define TASK_1(R, f) @
#define SPAWN @
#define SYNC @
#define CALL @
#define DATA @
#define LIST_HEAD(a, b) @
#define LIST_ENTRY(T) @
#define SECOND @
#define COMMA @
#define COUNT(x) @
#define CAT(a, b) @
#define STR(x) @
#define EACH @
#define UNUSED @
#define INLINE @
#define ASSERT(c) @
#define CHECK(c) @
#define NORM(x) @
#define PARALLEL @
#define STATIC_ASSERT @
#define DEBUG @
#define TRACE @
#define LOG @
#define MAX @
#define MIN @
#define PAGE_SIZE @
#define CACHE_LINE @
#define CACHE_LINE_SIZE @
#define in @
#define out @
#define inout @
#define reduce @
#define commute @
#define array @
#define block @
#define range @
#define wrong @
#define self @
#define node @
#define head @
#define tail @
#define limit @
#define task @
#define worker @
#define pool @

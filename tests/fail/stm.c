/* stm.c - df_stm.h (tests/fail/run) */
#include "../../df_stm.h"

#ifdef CASE_atomic_parentheses /* DF_ATOMIC is not a function */
void set(int *p)
{
    DF_ATOMIC(p) { /* gcc: expected ';' before '{' */ /* clang: expected ';' */
        df_tm_write(p, 1);
    }
}
#endif

#ifdef CASE_atomically_other_function /* df_atomically of a function with other parameters */
/* flags: -pedantic-errors */
static void set(int n) { (void)n; }
df_result get(void)
{
    return df_atomically(set, NULL); /* gcc: argument 1 of 'dfi_tm_atomically' from incompatible */ /* clang: incompatible function pointer */
}
#endif

#ifdef CASE_atomically_result /* df_atomically of a function that returns something */
/* flags: -pedantic-errors */
static int set(void *p) { return p != NULL; }
df_result get(void)
{
    return df_atomically(set, NULL); /* gcc: argument 1 of 'dfi_tm_atomically' from incompatible */ /* clang: incompatible function pointer */
}
#endif

#ifdef CASE_copy_to_const /* df_tm_copy to constant memory: from and to in the wrong order */
/* flags: -pedantic-errors */
void copy(char *to, const char *from)
{
    DF_ATOMIC {
        df_tm_copy(from, to, 10); /* gcc: argument 1 of 'df_tm_copy' discards */ /* clang: discards qualifiers */
    }
}
#endif

#ifdef CASE_dangling_else /* An `else` after a block belongs to nothing that the user sees: -Wall says so */
/* flags: -Werror */
void set(int *p, int how)
{
    if (how) /* gcc: ambiguous 'else' */
        DF_ATOMIC {
            df_tm_write(p, 1);
        }
    else /* clang: dangling else */
        df_tm_write(p, 2);
}
#endif

#ifdef CASE_no_semicolon /* The semicolon after an access forgotten */
int set(int *p)
{
    DF_ATOMIC {
        df_tm_write(p, 1) /* gcc: not a function */
        df_tm_write(p, 2); /* clang: not a function */
    }
    return 0;
}
#endif

#ifdef CASE_or_else_alone /* DF_OR_ELSE without DF_ATOMIC before it */
void set(int *p)
{
    df_tm_write(p, 1);
    DF_OR_ELSE { /* gcc: 'else' without a previous 'if' */ /* clang: expected expression */
        df_tm_write(p, 2);
    }
}
#endif

#ifdef CASE_or_else_semicolon /* A semicolon between a block and its alternative */
void set(int *p)
{
    DF_ATOMIC { df_retry(); };
    DF_OR_ELSE df_tm_write(p, 2); /* gcc: 'else' without a previous 'if' */ /* clang: expected expression */
}
#endif

#ifdef CASE_read_long_double /* df_tm_read of more than 8 bytes */
double get(const long double *p)
{
    double n = 0;
    DF_ATOMIC {
        n = (double)df_tm_read(p); /* expect: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
    return n;
}
#endif

#ifdef CASE_read_other_type
/* The result of df_tm_read is of the type it points to: here the address of a list, not of a number */
/* flags: -Werror */
struct list { struct list *next; };
int *get(struct list *const *p)
{
    return df_tm_read(p); /* gcc: incompatible return type */ /* clang: incompatible pointer types returning */
}
#endif

#ifdef CASE_read_struct /* df_tm_read of a whole object */
struct pair { int a, b; };
struct pair get(const struct pair *p)
{
    DF_ATOMIC {
        return df_tm_read(p); /* expect: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
    return *p;
}
#endif

#ifdef CASE_read_value /* df_tm_read of the variable itself instead of its address */
/* lines: 22 */
static int counter;
int get(void)
{
    return df_tm_read(counter); /* gcc: invalid type argument of unary */ /* clang: indirection requires pointer */
}
#endif

#ifdef CASE_read_void /* df_tm_read of memory without a type */
int get(const void *p)
{
    int n = 0;
    DF_ATOMIC {
        n = df_tm_read(p); /* gcc: invalid use of void expression */ /* clang: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
    return n;
}
#endif

#ifdef CASE_retry_argument /* df_retry takes no argument */
/* lines: 13 */
void set(int *p)
{
    DF_ATOMIC {
        if (!df_tm_read(p)) df_retry(p); /* gcc: macro "df_retry" passed 1 argument */ /* clang: too many arguments */
    }
}
#endif

#ifdef CASE_retry_no_semicolon /* The semicolon after df_retry() forgotten */
void set(int *p)
{
    DF_ATOMIC {
        if (!df_tm_read(p)) df_retry() /* clang: expected ';' */
    } /* gcc: expected ';' before '}' */
}
#endif

#ifdef CASE_write_const /* df_tm_write to constant memory */
void set(const int *p)
{
    DF_ATOMIC {
        df_tm_write(p, 1); /* gcc: assignment of read-only location */ /* clang: read-only variable is not assignable */
    }
}
#endif

#ifdef CASE_write_const_pointer /* df_tm_write of a pointer to const where there is one without */
/* flags: -pedantic-errors */
void set(int **p, const int *x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: discards 'const' qualifier */ /* clang: discards qualifiers */
    }
}
#endif

#ifdef CASE_write_number_for_pointer /* df_tm_write of a number where a pointer is */
/* flags: -pedantic-errors */
/* lines: 14 */
void set(int **p, int x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: makes pointer from integer */ /* clang: incompatible integer to pointer conversion */
    }
}
#endif

#ifdef CASE_write_one_argument /* df_tm_write without the value */
/* lines: 17 */
void set(int *p)
{
    DF_ATOMIC {
        df_tm_write(p); /* gcc: "df_tm_write" requires 2 arguments */ /* clang: too few arguments */
    }
}
#endif

#ifdef CASE_write_other_pointer /* df_tm_write of a pointer to another type */
/* flags: -pedantic-errors */
void set(int **p, float *x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: incompatible pointer type 'float */ /* clang: incompatible pointer types assigning */
    }
}
#endif

#ifdef CASE_write_pointer_for_number /* df_tm_write of a pointer where a number is: the address instead of the value */
/* flags: -pedantic-errors */
/* lines: 14 */
void set(long *p, long *x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: makes integer from pointer */ /* clang: incompatible pointer to integer conversion */
    }
}
#endif

#ifdef CASE_write_result /* df_tm_write has no result */
int set(int *p)
{
    return df_tm_write(p, 1); /* gcc: void value not ignored */ /* clang: returning 'void' */
}
#endif

#ifdef CASE_write_struct /* df_tm_write of a whole object */
/* lines: 22 */
struct pair { int a, b; };
void set(struct pair *p, struct pair x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* expect: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
}
#endif

#ifdef CASE_write_value /* df_tm_write to the variable itself instead of its address */
/* lines: 22 */
static int counter;
void set(void)
{
    DF_ATOMIC {
        df_tm_write(counter, 1); /* gcc: invalid type argument of unary */ /* clang: indirection requires pointer */
    }
}
#endif

#ifdef CASE_write_void /* df_tm_write to memory without a type */
/* lines: 22 */
void set(void *p)
{
    DF_ATOMIC {
        df_tm_write(p, 1); /* gcc: invalid use of void expression */ /* clang: incomplete type 'void' */
    }
}
#endif

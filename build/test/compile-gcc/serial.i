# 0 "tests/compile/words.c"
# 0 "<built-in>"
# 0 "<command-line>"
# 1 "/usr/include/stdc-predef.h" 1 3 4
# 0 "<command-line>" 2
# 1 "tests/compile/words.c"





# 1 "tests/compile/../../df.h" 1
# 55 "tests/compile/../../df.h"
       
# 56 "tests/compile/../../df.h" 3


# 1 "/work/main/impl/dfi_base.h" 1 3







# 1 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 1 3 4
# 145 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 3 4

# 145 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 3 4
typedef long int ptrdiff_t;
# 214 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 3 4
typedef long unsigned int size_t;
# 329 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 3 4
typedef int wchar_t;
# 424 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 3 4
typedef struct {
  long long __max_align_ll __attribute__((__aligned__(__alignof__(long long))));
  long double __max_align_ld __attribute__((__aligned__(__alignof__(long double))));
# 435 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 3 4
} max_align_t;
# 9 "/work/main/impl/dfi_base.h" 2 3
# 1 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stdint.h" 1 3 4
# 9 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stdint.h" 3 4
# 1 "/usr/include/stdint.h" 1 3 4
# 26 "/usr/include/stdint.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/libc-header-start.h" 1 3 4
# 33 "/usr/include/x86_64-linux-gnu/bits/libc-header-start.h" 3 4
# 1 "/usr/include/features.h" 1 3 4
# 392 "/usr/include/features.h" 3 4
# 1 "/usr/include/features-time64.h" 1 3 4
# 20 "/usr/include/features-time64.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wordsize.h" 1 3 4
# 21 "/usr/include/features-time64.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/timesize.h" 1 3 4
# 19 "/usr/include/x86_64-linux-gnu/bits/timesize.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wordsize.h" 1 3 4
# 20 "/usr/include/x86_64-linux-gnu/bits/timesize.h" 2 3 4
# 22 "/usr/include/features-time64.h" 2 3 4
# 393 "/usr/include/features.h" 2 3 4
# 489 "/usr/include/features.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/sys/cdefs.h" 1 3 4
# 561 "/usr/include/x86_64-linux-gnu/sys/cdefs.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wordsize.h" 1 3 4
# 562 "/usr/include/x86_64-linux-gnu/sys/cdefs.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/long-double.h" 1 3 4
# 563 "/usr/include/x86_64-linux-gnu/sys/cdefs.h" 2 3 4
# 490 "/usr/include/features.h" 2 3 4
# 513 "/usr/include/features.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/gnu/stubs.h" 1 3 4
# 10 "/usr/include/x86_64-linux-gnu/gnu/stubs.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/gnu/stubs-64.h" 1 3 4
# 11 "/usr/include/x86_64-linux-gnu/gnu/stubs.h" 2 3 4
# 514 "/usr/include/features.h" 2 3 4
# 34 "/usr/include/x86_64-linux-gnu/bits/libc-header-start.h" 2 3 4
# 27 "/usr/include/stdint.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/types.h" 1 3 4
# 27 "/usr/include/x86_64-linux-gnu/bits/types.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wordsize.h" 1 3 4
# 28 "/usr/include/x86_64-linux-gnu/bits/types.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/timesize.h" 1 3 4
# 19 "/usr/include/x86_64-linux-gnu/bits/timesize.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wordsize.h" 1 3 4
# 20 "/usr/include/x86_64-linux-gnu/bits/timesize.h" 2 3 4
# 29 "/usr/include/x86_64-linux-gnu/bits/types.h" 2 3 4


typedef unsigned char __u_char;
typedef unsigned short int __u_short;
typedef unsigned int __u_int;
typedef unsigned long int __u_long;


typedef signed char __int8_t;
typedef unsigned char __uint8_t;
typedef signed short int __int16_t;
typedef unsigned short int __uint16_t;
typedef signed int __int32_t;
typedef unsigned int __uint32_t;

typedef signed long int __int64_t;
typedef unsigned long int __uint64_t;






typedef __int8_t __int_least8_t;
typedef __uint8_t __uint_least8_t;
typedef __int16_t __int_least16_t;
typedef __uint16_t __uint_least16_t;
typedef __int32_t __int_least32_t;
typedef __uint32_t __uint_least32_t;
typedef __int64_t __int_least64_t;
typedef __uint64_t __uint_least64_t;



typedef long int __quad_t;
typedef unsigned long int __u_quad_t;







typedef long int __intmax_t;
typedef unsigned long int __uintmax_t;
# 141 "/usr/include/x86_64-linux-gnu/bits/types.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/typesizes.h" 1 3 4
# 142 "/usr/include/x86_64-linux-gnu/bits/types.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/time64.h" 1 3 4
# 143 "/usr/include/x86_64-linux-gnu/bits/types.h" 2 3 4


typedef unsigned long int __dev_t;
typedef unsigned int __uid_t;
typedef unsigned int __gid_t;
typedef unsigned long int __ino_t;
typedef unsigned long int __ino64_t;
typedef unsigned int __mode_t;
typedef unsigned long int __nlink_t;
typedef long int __off_t;
typedef long int __off64_t;
typedef int __pid_t;
typedef struct { int __val[2]; } __fsid_t;
typedef long int __clock_t;
typedef unsigned long int __rlim_t;
typedef unsigned long int __rlim64_t;
typedef unsigned int __id_t;
typedef long int __time_t;
typedef unsigned int __useconds_t;
typedef long int __suseconds_t;
typedef long int __suseconds64_t;

typedef int __daddr_t;
typedef int __key_t;


typedef int __clockid_t;


typedef void * __timer_t;


typedef long int __blksize_t;




typedef long int __blkcnt_t;
typedef long int __blkcnt64_t;


typedef unsigned long int __fsblkcnt_t;
typedef unsigned long int __fsblkcnt64_t;


typedef unsigned long int __fsfilcnt_t;
typedef unsigned long int __fsfilcnt64_t;


typedef long int __fsword_t;

typedef long int __ssize_t;


typedef long int __syscall_slong_t;

typedef unsigned long int __syscall_ulong_t;



typedef __off64_t __loff_t;
typedef char *__caddr_t;


typedef long int __intptr_t;


typedef unsigned int __socklen_t;




typedef int __sig_atomic_t;
# 28 "/usr/include/stdint.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wchar.h" 1 3 4
# 29 "/usr/include/stdint.h" 2 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/wordsize.h" 1 3 4
# 30 "/usr/include/stdint.h" 2 3 4




# 1 "/usr/include/x86_64-linux-gnu/bits/stdint-intn.h" 1 3 4
# 24 "/usr/include/x86_64-linux-gnu/bits/stdint-intn.h" 3 4
typedef __int8_t int8_t;
typedef __int16_t int16_t;
typedef __int32_t int32_t;
typedef __int64_t int64_t;
# 35 "/usr/include/stdint.h" 2 3 4


# 1 "/usr/include/x86_64-linux-gnu/bits/stdint-uintn.h" 1 3 4
# 24 "/usr/include/x86_64-linux-gnu/bits/stdint-uintn.h" 3 4
typedef __uint8_t uint8_t;
typedef __uint16_t uint16_t;
typedef __uint32_t uint32_t;
typedef __uint64_t uint64_t;
# 38 "/usr/include/stdint.h" 2 3 4





typedef __int_least8_t int_least8_t;
typedef __int_least16_t int_least16_t;
typedef __int_least32_t int_least32_t;
typedef __int_least64_t int_least64_t;


typedef __uint_least8_t uint_least8_t;
typedef __uint_least16_t uint_least16_t;
typedef __uint_least32_t uint_least32_t;
typedef __uint_least64_t uint_least64_t;





typedef signed char int_fast8_t;

typedef long int int_fast16_t;
typedef long int int_fast32_t;
typedef long int int_fast64_t;
# 71 "/usr/include/stdint.h" 3 4
typedef unsigned char uint_fast8_t;

typedef unsigned long int uint_fast16_t;
typedef unsigned long int uint_fast32_t;
typedef unsigned long int uint_fast64_t;
# 87 "/usr/include/stdint.h" 3 4
typedef long int intptr_t;


typedef unsigned long int uintptr_t;
# 101 "/usr/include/stdint.h" 3 4
typedef __intmax_t intmax_t;
typedef __uintmax_t uintmax_t;
# 10 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stdint.h" 2 3 4
# 10 "/work/main/impl/dfi_base.h" 2 3
# 1 "/usr/include/string.h" 1 3 4
# 26 "/usr/include/string.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/libc-header-start.h" 1 3 4
# 27 "/usr/include/string.h" 2 3 4






# 1 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 1 3 4
# 34 "/usr/include/string.h" 2 3 4
# 43 "/usr/include/string.h" 3 4
extern void *memcpy (void *__restrict __dest, const void *__restrict __src,
       size_t __n) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));


extern void *memmove (void *__dest, const void *__src, size_t __n)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));
# 61 "/usr/include/string.h" 3 4
extern void *memset (void *__s, int __c, size_t __n) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));


extern int memcmp (const void *__s1, const void *__s2, size_t __n)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));
# 80 "/usr/include/string.h" 3 4
extern int __memcmpeq (const void *__s1, const void *__s2, size_t __n)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));
# 107 "/usr/include/string.h" 3 4
extern void *memchr (const void *__s, int __c, size_t __n)
      __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1)));
# 141 "/usr/include/string.h" 3 4
extern char *strcpy (char *__restrict __dest, const char *__restrict __src)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));

extern char *strncpy (char *__restrict __dest,
        const char *__restrict __src, size_t __n)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));


extern char *strcat (char *__restrict __dest, const char *__restrict __src)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));

extern char *strncat (char *__restrict __dest, const char *__restrict __src,
        size_t __n) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));


extern int strcmp (const char *__s1, const char *__s2)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));

extern int strncmp (const char *__s1, const char *__s2, size_t __n)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));


extern int strcoll (const char *__s1, const char *__s2)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));

extern size_t strxfrm (char *__restrict __dest,
         const char *__restrict __src, size_t __n)
    __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (2))) __attribute__ ((__access__ (__write_only__, 1, 3)));
# 246 "/usr/include/string.h" 3 4
extern char *strchr (const char *__s, int __c)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1)));
# 273 "/usr/include/string.h" 3 4
extern char *strrchr (const char *__s, int __c)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1)));
# 293 "/usr/include/string.h" 3 4
extern size_t strcspn (const char *__s, const char *__reject)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));


extern size_t strspn (const char *__s, const char *__accept)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));
# 323 "/usr/include/string.h" 3 4
extern char *strpbrk (const char *__s, const char *__accept)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));
# 350 "/usr/include/string.h" 3 4
extern char *strstr (const char *__haystack, const char *__needle)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));




extern char *strtok (char *__restrict __s, const char *__restrict __delim)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (2)));



extern char *__strtok_r (char *__restrict __s,
    const char *__restrict __delim,
    char **__restrict __save_ptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (2, 3)));
# 407 "/usr/include/string.h" 3 4
extern size_t strlen (const char *__s)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1)));
# 419 "/usr/include/string.h" 3 4
extern char *strerror (int __errnum) __attribute__ ((__nothrow__ , __leaf__));
# 539 "/usr/include/string.h" 3 4

# 11 "/work/main/impl/dfi_base.h" 2 3
# 87 "/work/main/impl/dfi_base.h" 3

extern __attribute__((visibility("default"))) const char df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h[1];


static const char *const dfi_need __attribute__((used, unused)) = df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h;
# 59 "tests/compile/../../df.h" 2 3
# 1 "/work/main/impl/dfi_pp.h" 1 3
# 60 "tests/compile/../../df.h" 2 3

# 1 "/work/main/impl/dfi_serial.h" 1 3







struct dfi_local;
struct dfi_block { struct dfi_local *before; int open; };


__attribute__((weak, visibility("default"))) struct dfi_local *dfi_serial_enter(void);
__attribute__((weak, visibility("default"))) void dfi_serial_leave(struct dfi_local *before);
__attribute__((weak, visibility("default"))) struct dfi_block dfi_scope_enter(const char *site);
__attribute__((weak, visibility("default"))) void dfi_scope_leave(struct dfi_block *b);
__attribute__((weak, visibility("default"))) void *dfi_local_alloc(size_t n, size_t bytes);

# 62 "tests/compile/../../df.h" 2 3




# 1 "/work/main/impl/dfi_declare.h" 1 3
# 67 "tests/compile/../../df.h" 2 3
# 149 "tests/compile/../../df.h" 3
typedef enum df_result {
    DF_OK = 0,
    DF_ERROR_MEMORY = -1,
    DF_ERROR_STARTED = -2
} df_result;


typedef struct df_config {
    int workers;

    const char *cpuset;

    size_t deque;

    size_t window;
    size_t stack_bytes;
    void (*log)(void *log_arg, int level, const char *text);
    void *log_arg;
} df_config;


typedef struct df_counters {
    uint64_t tasks;
    uint64_t edges;
    uint64_t steals;
    uint64_t parks;
} df_counters;



__attribute__((weak, visibility("default"))) df_result df_start(const df_config *config);


__attribute__((weak, visibility("default"))) void df_stop(void);


__attribute__((weak, visibility("default"))) int df_workers(void);
__attribute__((weak, visibility("default"))) int df_worker(void);

__attribute__((weak, visibility("default"))) df_result df_stats(df_counters *out);

__attribute__((weak, visibility("default"))) const char *df_error_text(df_result r);

# 219 "tests/compile/../../df.h" 3
# 1 "/work/main/impl/dfi_common_impl.h" 1 3




# 1 "/usr/include/stdlib.h" 1 3 4
# 26 "/usr/include/stdlib.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/libc-header-start.h" 1 3 4
# 27 "/usr/include/stdlib.h" 2 3 4





# 1 "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h" 1 3 4
# 33 "/usr/include/stdlib.h" 2 3 4


# 56 "/usr/include/stdlib.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/floatn.h" 1 3 4
# 120 "/usr/include/x86_64-linux-gnu/bits/floatn.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/floatn-common.h" 1 3 4
# 24 "/usr/include/x86_64-linux-gnu/bits/floatn-common.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/long-double.h" 1 3 4
# 25 "/usr/include/x86_64-linux-gnu/bits/floatn-common.h" 2 3 4
# 121 "/usr/include/x86_64-linux-gnu/bits/floatn.h" 2 3 4
# 57 "/usr/include/stdlib.h" 2 3 4


typedef struct
  {
    int quot;
    int rem;
  } div_t;



typedef struct
  {
    long int quot;
    long int rem;
  } ldiv_t;





__extension__ typedef struct
  {
    long long int quot;
    long long int rem;
  } lldiv_t;
# 98 "/usr/include/stdlib.h" 3 4
extern size_t __ctype_get_mb_cur_max (void) __attribute__ ((__nothrow__ , __leaf__)) ;



extern double atof (const char *__nptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1))) ;

extern int atoi (const char *__nptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1))) ;

extern long int atol (const char *__nptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1))) ;



__extension__ extern long long int atoll (const char *__nptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1))) ;



extern double strtod (const char *__restrict __nptr,
        char **__restrict __endptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));



extern float strtof (const char *__restrict __nptr,
       char **__restrict __endptr) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));

extern long double strtold (const char *__restrict __nptr,
       char **__restrict __endptr)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));
# 177 "/usr/include/stdlib.h" 3 4
extern long int strtol (const char *__restrict __nptr,
   char **__restrict __endptr, int __base)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));

extern unsigned long int strtoul (const char *__restrict __nptr,
      char **__restrict __endptr, int __base)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));
# 200 "/usr/include/stdlib.h" 3 4
__extension__
extern long long int strtoll (const char *__restrict __nptr,
         char **__restrict __endptr, int __base)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));

__extension__
extern unsigned long long int strtoull (const char *__restrict __nptr,
     char **__restrict __endptr, int __base)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));
# 454 "/usr/include/stdlib.h" 3 4
extern int rand (void) __attribute__ ((__nothrow__ , __leaf__));

extern void srand (unsigned int __seed) __attribute__ ((__nothrow__ , __leaf__));
# 553 "/usr/include/stdlib.h" 3 4
extern void *malloc (size_t __size) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__malloc__))
     __attribute__ ((__alloc_size__ (1))) ;

extern void *calloc (size_t __nmemb, size_t __size)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__malloc__)) __attribute__ ((__alloc_size__ (1, 2))) ;






extern void *realloc (void *__ptr, size_t __size)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__warn_unused_result__)) __attribute__ ((__alloc_size__ (2)));


extern void free (void *__ptr) __attribute__ ((__nothrow__ , __leaf__));
# 605 "/usr/include/stdlib.h" 3 4
extern void *aligned_alloc (size_t __alignment, size_t __size)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__malloc__)) __attribute__ ((__alloc_align__ (1)))
     __attribute__ ((__alloc_size__ (2))) ;



extern void abort (void) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));



extern int atexit (void (*__func) (void)) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));







extern int at_quick_exit (void (*__func) (void)) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1)));
# 637 "/usr/include/stdlib.h" 3 4
extern void exit (int __status) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));





extern void quick_exit (int __status) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));





extern void _Exit (int __status) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));




extern char *getenv (const char *__name) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1))) ;
# 804 "/usr/include/stdlib.h" 3 4
extern int system (const char *__command) ;
# 829 "/usr/include/stdlib.h" 3 4
typedef int (*__compar_fn_t) (const void *, const void *);
# 841 "/usr/include/stdlib.h" 3 4
extern void *bsearch (const void *__key, const void *__base,
        size_t __nmemb, size_t __size, __compar_fn_t __compar)
     __attribute__ ((__nonnull__ (1, 2, 5))) ;







extern void qsort (void *__base, size_t __nmemb, size_t __size,
     __compar_fn_t __compar) __attribute__ ((__nonnull__ (1, 4)));
# 861 "/usr/include/stdlib.h" 3 4
extern int abs (int __x) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__)) ;
extern long int labs (long int __x) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__)) ;


__extension__ extern long long int llabs (long long int __x)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__)) ;






extern div_t div (int __numer, int __denom)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__)) ;
extern ldiv_t ldiv (long int __numer, long int __denom)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__)) ;


__extension__ extern lldiv_t lldiv (long long int __numer,
        long long int __denom)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__const__)) ;
# 943 "/usr/include/stdlib.h" 3 4
extern int mblen (const char *__s, size_t __n) __attribute__ ((__nothrow__ , __leaf__));


extern int mbtowc (wchar_t *__restrict __pwc,
     const char *__restrict __s, size_t __n) __attribute__ ((__nothrow__ , __leaf__));


extern int wctomb (char *__s, wchar_t __wchar) __attribute__ ((__nothrow__ , __leaf__));



extern size_t mbstowcs (wchar_t *__restrict __pwcs,
   const char *__restrict __s, size_t __n) __attribute__ ((__nothrow__ , __leaf__))
    __attribute__ ((__access__ (__read_only__, 2)));

extern size_t wcstombs (char *__restrict __s,
   const wchar_t *__restrict __pwcs, size_t __n)
     __attribute__ ((__nothrow__ , __leaf__))
  __attribute__ ((__access__ (__write_only__, 1, 3)))
  __attribute__ ((__access__ (__read_only__, 2)));
# 1036 "/usr/include/stdlib.h" 3 4
# 1 "/usr/include/x86_64-linux-gnu/bits/stdlib-float.h" 1 3 4
# 1037 "/usr/include/stdlib.h" 2 3 4
# 1048 "/usr/include/stdlib.h" 3 4

# 6 "/work/main/impl/dfi_common_impl.h" 2 3








__attribute__((weak, visibility("default"))) const char df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h[1] = { 0 };

__attribute__((weak, visibility("default"))) const char *df_error_text(df_result r)
{
    switch (r) {
    case DF_OK: return "no error";
    case DF_ERROR_MEMORY: return "out of memory: nothing was started";
    case DF_ERROR_STARTED: return "df is running already: call df_start before any other construct, or after df_stop";
    }
    return "not an error code of df";
}

# 220 "tests/compile/../../df.h" 2 3

# 1 "/work/main/impl/dfi_serial_impl.h" 1 3




struct dfi_local { struct dfi_local *next; void *align; };
static __thread __attribute__((tls_model("initial-exec"))) struct dfi_local *dfi_serial_locals;
static __thread __attribute__((tls_model("initial-exec"))) uint64_t dfi_serial_tasks;


__attribute__((weak, visibility("default"))) struct dfi_local *dfi_serial_enter(void)
{
    dfi_serial_tasks++;
    return dfi_serial_locals;
}

__attribute__((weak, visibility("default"))) void dfi_serial_leave(struct dfi_local *before)
{
    while (dfi_serial_locals != before) {
        struct dfi_local *l = dfi_serial_locals;
        dfi_serial_locals = l->next;
        free(l);
    }
}

__attribute__((weak, visibility("default"))) struct dfi_block dfi_scope_enter(const char *site)
{
    struct dfi_block b;
    (void)site;
    b.before = dfi_serial_locals, b.open = 1;
    return b;
}

__attribute__((weak, visibility("default"))) void dfi_scope_leave(struct dfi_block *b)
{
    if (b->open) dfi_serial_leave(b->before);
    b->open = 0;
}

__attribute__((weak, visibility("default"))) void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct dfi_local *l;
    if (bytes && n > ((18446744073709551615UL) - sizeof *l) / bytes) return ((void *)0);
    bytes *= n;
    l = (struct dfi_local *)malloc(sizeof *l + bytes);
    if (!l) return ((void *)0);
    l->next = dfi_serial_locals, dfi_serial_locals = l;
    return memset(l + 1, 0, bytes);
}

__attribute__((weak, visibility("default"))) df_result df_start(const df_config *config)
{
    (void)config;
    return DF_OK;
}

__attribute__((weak, visibility("default"))) void df_stop(void) {}
__attribute__((weak, visibility("default"))) int df_workers(void) { return 1; }
__attribute__((weak, visibility("default"))) int df_worker(void) { return 0; }

__attribute__((weak, visibility("default"))) df_result df_stats(df_counters *out)
{
    memset(out, 0, sizeof *out);
    out->tasks = dfi_serial_tasks;
    return DF_OK;
}

# 222 "tests/compile/../../df.h" 2 3
# 7 "tests/compile/words.c" 2




# 10 "tests/compile/words.c"
typedef struct { double re, im; } pair;
typedef int (*compare)(const void *, const void *);
typedef char name[8];
enum colour { RED, GREEN };
struct tree { struct tree *left, *right; long value; };

static int wrong;




 
# 21 "tests/compile/words.c" 3
extern 
# 21 "tests/compile/words.c"
void r_void
# 21 "tests/compile/words.c" 3
(
# 21 "tests/compile/words.c"
int * x
# 21 "tests/compile/words.c" 3
); typedef struct 
# 21 "tests/compile/words.c"
r_void_dfi_future 
# 21 "tests/compile/words.c" 3
{ char dfi_state; } 
# 21 "tests/compile/words.c"
r_void_future
# 21 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 21 "tests/compile/words.c"
r_void_spawn
# 21 "tests/compile/words.c" 3
(
# 21 "tests/compile/words.c"
r_void_future 
# 21 "tests/compile/words.c" 3
*dfi_f , 
# 21 "tests/compile/words.c"
int * x
# 21 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 21 "tests/compile/words.c"
r_void
# 21 "tests/compile/words.c" 3
(
# 21 "tests/compile/words.c"
x
# 21 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 21 "tests/compile/words.c"
void r_void_sync
# 21 "tests/compile/words.c" 3
(
# 21 "tests/compile/words.c"
r_void_future 
# 21 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 21 "tests/compile/words.c"
r_void_submit
# 21 "tests/compile/words.c" 3
(
# 21 "tests/compile/words.c"
int * x
# 21 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 21 "tests/compile/words.c"
r_void
# 21 "tests/compile/words.c" 3
(
# 21 "tests/compile/words.c"
x
# 21 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 21 "tests/compile/words.c"
r_void_future
# 21 "tests/compile/words.c" 3
) > 0, "df.h")
# 21 "tests/compile/words.c"
                                ;
 
# 22 "tests/compile/words.c" 3
extern 
# 22 "tests/compile/words.c"
void * r_pointer
# 22 "tests/compile/words.c" 3
(
# 22 "tests/compile/words.c"
void * x
# 22 "tests/compile/words.c" 3
); typedef struct 
# 22 "tests/compile/words.c"
r_pointer_dfi_future 
# 22 "tests/compile/words.c" 3
{ 
# 22 "tests/compile/words.c"
void * 
# 22 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 22 "tests/compile/words.c"
r_pointer_future
# 22 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 22 "tests/compile/words.c"
r_pointer_spawn
# 22 "tests/compile/words.c" 3
(
# 22 "tests/compile/words.c"
r_pointer_future 
# 22 "tests/compile/words.c" 3
*dfi_f , 
# 22 "tests/compile/words.c"
void * x
# 22 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 22 "tests/compile/words.c"
r_pointer
# 22 "tests/compile/words.c" 3
(
# 22 "tests/compile/words.c"
x
# 22 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 22 "tests/compile/words.c"
void * r_pointer_sync
# 22 "tests/compile/words.c" 3
(
# 22 "tests/compile/words.c"
r_pointer_future 
# 22 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 22 "tests/compile/words.c"
r_pointer_submit
# 22 "tests/compile/words.c" 3
(
# 22 "tests/compile/words.c"
void * x
# 22 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 22 "tests/compile/words.c"
r_pointer
# 22 "tests/compile/words.c" 3
(
# 22 "tests/compile/words.c"
x
# 22 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 22 "tests/compile/words.c"
r_pointer_future
# 22 "tests/compile/words.c" 3
) > 0, "df.h")
# 22 "tests/compile/words.c"
                                      ;
 
# 23 "tests/compile/words.c" 3
extern 
# 23 "tests/compile/words.c"
const char * r_const_pointer
# 23 "tests/compile/words.c" 3
(
# 23 "tests/compile/words.c"
int x
# 23 "tests/compile/words.c" 3
); typedef struct 
# 23 "tests/compile/words.c"
r_const_pointer_dfi_future 
# 23 "tests/compile/words.c" 3
{ 
# 23 "tests/compile/words.c"
const char * 
# 23 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 23 "tests/compile/words.c"
r_const_pointer_future
# 23 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 23 "tests/compile/words.c"
r_const_pointer_spawn
# 23 "tests/compile/words.c" 3
(
# 23 "tests/compile/words.c"
r_const_pointer_future 
# 23 "tests/compile/words.c" 3
*dfi_f , 
# 23 "tests/compile/words.c"
int x
# 23 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 23 "tests/compile/words.c"
r_const_pointer
# 23 "tests/compile/words.c" 3
(
# 23 "tests/compile/words.c"
x
# 23 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 23 "tests/compile/words.c"
const char * r_const_pointer_sync
# 23 "tests/compile/words.c" 3
(
# 23 "tests/compile/words.c"
r_const_pointer_future 
# 23 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 23 "tests/compile/words.c"
r_const_pointer_submit
# 23 "tests/compile/words.c" 3
(
# 23 "tests/compile/words.c"
int x
# 23 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 23 "tests/compile/words.c"
r_const_pointer
# 23 "tests/compile/words.c" 3
(
# 23 "tests/compile/words.c"
x
# 23 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 23 "tests/compile/words.c"
r_const_pointer_future
# 23 "tests/compile/words.c" 3
) > 0, "df.h")
# 23 "tests/compile/words.c"
                                               ;
 
# 24 "tests/compile/words.c" 3
extern 
# 24 "tests/compile/words.c"
char r_char
# 24 "tests/compile/words.c" 3
(
# 24 "tests/compile/words.c"
char x
# 24 "tests/compile/words.c" 3
); typedef struct 
# 24 "tests/compile/words.c"
r_char_dfi_future 
# 24 "tests/compile/words.c" 3
{ 
# 24 "tests/compile/words.c"
char 
# 24 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 24 "tests/compile/words.c"
r_char_future
# 24 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 24 "tests/compile/words.c"
r_char_spawn
# 24 "tests/compile/words.c" 3
(
# 24 "tests/compile/words.c"
r_char_future 
# 24 "tests/compile/words.c" 3
*dfi_f , 
# 24 "tests/compile/words.c"
char x
# 24 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 24 "tests/compile/words.c"
r_char
# 24 "tests/compile/words.c" 3
(
# 24 "tests/compile/words.c"
x
# 24 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 24 "tests/compile/words.c"
char r_char_sync
# 24 "tests/compile/words.c" 3
(
# 24 "tests/compile/words.c"
r_char_future 
# 24 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 24 "tests/compile/words.c"
r_char_submit
# 24 "tests/compile/words.c" 3
(
# 24 "tests/compile/words.c"
char x
# 24 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 24 "tests/compile/words.c"
r_char
# 24 "tests/compile/words.c" 3
(
# 24 "tests/compile/words.c"
x
# 24 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 24 "tests/compile/words.c"
r_char_future
# 24 "tests/compile/words.c" 3
) > 0, "df.h")
# 24 "tests/compile/words.c"
                               ;
 
# 25 "tests/compile/words.c" 3
extern 
# 25 "tests/compile/words.c"
unsigned long long r_unsigned
# 25 "tests/compile/words.c" 3
(
# 25 "tests/compile/words.c"
unsigned long long x
# 25 "tests/compile/words.c" 3
); typedef struct 
# 25 "tests/compile/words.c"
r_unsigned_dfi_future 
# 25 "tests/compile/words.c" 3
{ 
# 25 "tests/compile/words.c"
unsigned long long 
# 25 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 25 "tests/compile/words.c"
r_unsigned_future
# 25 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 25 "tests/compile/words.c"
r_unsigned_spawn
# 25 "tests/compile/words.c" 3
(
# 25 "tests/compile/words.c"
r_unsigned_future 
# 25 "tests/compile/words.c" 3
*dfi_f , 
# 25 "tests/compile/words.c"
unsigned long long x
# 25 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 25 "tests/compile/words.c"
r_unsigned
# 25 "tests/compile/words.c" 3
(
# 25 "tests/compile/words.c"
x
# 25 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 25 "tests/compile/words.c"
unsigned long long r_unsigned_sync
# 25 "tests/compile/words.c" 3
(
# 25 "tests/compile/words.c"
r_unsigned_future 
# 25 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 25 "tests/compile/words.c"
r_unsigned_submit
# 25 "tests/compile/words.c" 3
(
# 25 "tests/compile/words.c"
unsigned long long x
# 25 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 25 "tests/compile/words.c"
r_unsigned
# 25 "tests/compile/words.c" 3
(
# 25 "tests/compile/words.c"
x
# 25 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 25 "tests/compile/words.c"
r_unsigned_future
# 25 "tests/compile/words.c" 3
) > 0, "df.h")
# 25 "tests/compile/words.c"
                                                               ;
 
# 26 "tests/compile/words.c" 3
extern 
# 26 "tests/compile/words.c"
float r_float
# 26 "tests/compile/words.c" 3
(
# 26 "tests/compile/words.c"
float x
# 26 "tests/compile/words.c" 3
); typedef struct 
# 26 "tests/compile/words.c"
r_float_dfi_future 
# 26 "tests/compile/words.c" 3
{ 
# 26 "tests/compile/words.c"
float 
# 26 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 26 "tests/compile/words.c"
r_float_future
# 26 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 26 "tests/compile/words.c"
r_float_spawn
# 26 "tests/compile/words.c" 3
(
# 26 "tests/compile/words.c"
r_float_future 
# 26 "tests/compile/words.c" 3
*dfi_f , 
# 26 "tests/compile/words.c"
float x
# 26 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 26 "tests/compile/words.c"
r_float
# 26 "tests/compile/words.c" 3
(
# 26 "tests/compile/words.c"
x
# 26 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 26 "tests/compile/words.c"
float r_float_sync
# 26 "tests/compile/words.c" 3
(
# 26 "tests/compile/words.c"
r_float_future 
# 26 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 26 "tests/compile/words.c"
r_float_submit
# 26 "tests/compile/words.c" 3
(
# 26 "tests/compile/words.c"
float x
# 26 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 26 "tests/compile/words.c"
r_float
# 26 "tests/compile/words.c" 3
(
# 26 "tests/compile/words.c"
x
# 26 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 26 "tests/compile/words.c"
r_float_future
# 26 "tests/compile/words.c" 3
) > 0, "df.h")
# 26 "tests/compile/words.c"
                                  ;
 
# 27 "tests/compile/words.c" 3
extern 
# 27 "tests/compile/words.c"
long double r_long_double
# 27 "tests/compile/words.c" 3
(
# 27 "tests/compile/words.c"
long double x
# 27 "tests/compile/words.c" 3
); typedef struct 
# 27 "tests/compile/words.c"
r_long_double_dfi_future 
# 27 "tests/compile/words.c" 3
{ 
# 27 "tests/compile/words.c"
long double 
# 27 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 27 "tests/compile/words.c"
r_long_double_future
# 27 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 27 "tests/compile/words.c"
r_long_double_spawn
# 27 "tests/compile/words.c" 3
(
# 27 "tests/compile/words.c"
r_long_double_future 
# 27 "tests/compile/words.c" 3
*dfi_f , 
# 27 "tests/compile/words.c"
long double x
# 27 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 27 "tests/compile/words.c"
r_long_double
# 27 "tests/compile/words.c" 3
(
# 27 "tests/compile/words.c"
x
# 27 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 27 "tests/compile/words.c"
long double r_long_double_sync
# 27 "tests/compile/words.c" 3
(
# 27 "tests/compile/words.c"
r_long_double_future 
# 27 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 27 "tests/compile/words.c"
r_long_double_submit
# 27 "tests/compile/words.c" 3
(
# 27 "tests/compile/words.c"
long double x
# 27 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 27 "tests/compile/words.c"
r_long_double
# 27 "tests/compile/words.c" 3
(
# 27 "tests/compile/words.c"
x
# 27 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 27 "tests/compile/words.c"
r_long_double_future
# 27 "tests/compile/words.c" 3
) > 0, "df.h")
# 27 "tests/compile/words.c"
                                                    ;
 
# 28 "tests/compile/words.c" 3
extern 
# 28 "tests/compile/words.c"
enum colour r_enum
# 28 "tests/compile/words.c" 3
(
# 28 "tests/compile/words.c"
enum colour x
# 28 "tests/compile/words.c" 3
); typedef struct 
# 28 "tests/compile/words.c"
r_enum_dfi_future 
# 28 "tests/compile/words.c" 3
{ 
# 28 "tests/compile/words.c"
enum colour 
# 28 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 28 "tests/compile/words.c"
r_enum_future
# 28 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 28 "tests/compile/words.c"
r_enum_spawn
# 28 "tests/compile/words.c" 3
(
# 28 "tests/compile/words.c"
r_enum_future 
# 28 "tests/compile/words.c" 3
*dfi_f , 
# 28 "tests/compile/words.c"
enum colour x
# 28 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 28 "tests/compile/words.c"
r_enum
# 28 "tests/compile/words.c" 3
(
# 28 "tests/compile/words.c"
x
# 28 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 28 "tests/compile/words.c"
enum colour r_enum_sync
# 28 "tests/compile/words.c" 3
(
# 28 "tests/compile/words.c"
r_enum_future 
# 28 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 28 "tests/compile/words.c"
r_enum_submit
# 28 "tests/compile/words.c" 3
(
# 28 "tests/compile/words.c"
enum colour x
# 28 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 28 "tests/compile/words.c"
r_enum
# 28 "tests/compile/words.c" 3
(
# 28 "tests/compile/words.c"
x
# 28 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 28 "tests/compile/words.c"
r_enum_future
# 28 "tests/compile/words.c" 3
) > 0, "df.h")
# 28 "tests/compile/words.c"
                                             ;
 
# 29 "tests/compile/words.c" 3
extern 
# 29 "tests/compile/words.c"
pair r_struct
# 29 "tests/compile/words.c" 3
(
# 29 "tests/compile/words.c"
pair x
# 29 "tests/compile/words.c" 3
); typedef struct 
# 29 "tests/compile/words.c"
r_struct_dfi_future 
# 29 "tests/compile/words.c" 3
{ 
# 29 "tests/compile/words.c"
pair 
# 29 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 29 "tests/compile/words.c"
r_struct_future
# 29 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 29 "tests/compile/words.c"
r_struct_spawn
# 29 "tests/compile/words.c" 3
(
# 29 "tests/compile/words.c"
r_struct_future 
# 29 "tests/compile/words.c" 3
*dfi_f , 
# 29 "tests/compile/words.c"
pair x
# 29 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 29 "tests/compile/words.c"
r_struct
# 29 "tests/compile/words.c" 3
(
# 29 "tests/compile/words.c"
x
# 29 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 29 "tests/compile/words.c"
pair r_struct_sync
# 29 "tests/compile/words.c" 3
(
# 29 "tests/compile/words.c"
r_struct_future 
# 29 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 29 "tests/compile/words.c"
r_struct_submit
# 29 "tests/compile/words.c" 3
(
# 29 "tests/compile/words.c"
pair x
# 29 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 29 "tests/compile/words.c"
r_struct
# 29 "tests/compile/words.c" 3
(
# 29 "tests/compile/words.c"
x
# 29 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 29 "tests/compile/words.c"
r_struct_future
# 29 "tests/compile/words.c" 3
) > 0, "df.h")
# 29 "tests/compile/words.c"
                                 ;
 
# 30 "tests/compile/words.c" 3
extern 
# 30 "tests/compile/words.c"
struct tree * r_tree
# 30 "tests/compile/words.c" 3
(
# 30 "tests/compile/words.c"
struct tree * x
# 30 "tests/compile/words.c" 3
); typedef struct 
# 30 "tests/compile/words.c"
r_tree_dfi_future 
# 30 "tests/compile/words.c" 3
{ 
# 30 "tests/compile/words.c"
struct tree * 
# 30 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 30 "tests/compile/words.c"
r_tree_future
# 30 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 30 "tests/compile/words.c"
r_tree_spawn
# 30 "tests/compile/words.c" 3
(
# 30 "tests/compile/words.c"
r_tree_future 
# 30 "tests/compile/words.c" 3
*dfi_f , 
# 30 "tests/compile/words.c"
struct tree * x
# 30 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 30 "tests/compile/words.c"
r_tree
# 30 "tests/compile/words.c" 3
(
# 30 "tests/compile/words.c"
x
# 30 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 30 "tests/compile/words.c"
struct tree * r_tree_sync
# 30 "tests/compile/words.c" 3
(
# 30 "tests/compile/words.c"
r_tree_future 
# 30 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 30 "tests/compile/words.c"
r_tree_submit
# 30 "tests/compile/words.c" 3
(
# 30 "tests/compile/words.c"
struct tree * x
# 30 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 30 "tests/compile/words.c"
r_tree
# 30 "tests/compile/words.c" 3
(
# 30 "tests/compile/words.c"
x
# 30 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 30 "tests/compile/words.c"
r_tree_future
# 30 "tests/compile/words.c" 3
) > 0, "df.h")
# 30 "tests/compile/words.c"
                                                 ;
 
# 31 "tests/compile/words.c" 3
extern 
# 31 "tests/compile/words.c"
compare r_function
# 31 "tests/compile/words.c" 3
(
# 31 "tests/compile/words.c"
compare x
# 31 "tests/compile/words.c" 3
); typedef struct 
# 31 "tests/compile/words.c"
r_function_dfi_future 
# 31 "tests/compile/words.c" 3
{ 
# 31 "tests/compile/words.c"
compare 
# 31 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 31 "tests/compile/words.c"
r_function_future
# 31 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 31 "tests/compile/words.c"
r_function_spawn
# 31 "tests/compile/words.c" 3
(
# 31 "tests/compile/words.c"
r_function_future 
# 31 "tests/compile/words.c" 3
*dfi_f , 
# 31 "tests/compile/words.c"
compare x
# 31 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 31 "tests/compile/words.c"
r_function
# 31 "tests/compile/words.c" 3
(
# 31 "tests/compile/words.c"
x
# 31 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 31 "tests/compile/words.c"
compare r_function_sync
# 31 "tests/compile/words.c" 3
(
# 31 "tests/compile/words.c"
r_function_future 
# 31 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 31 "tests/compile/words.c"
r_function_submit
# 31 "tests/compile/words.c" 3
(
# 31 "tests/compile/words.c"
compare x
# 31 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 31 "tests/compile/words.c"
r_function
# 31 "tests/compile/words.c" 3
(
# 31 "tests/compile/words.c"
x
# 31 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 31 "tests/compile/words.c"
r_function_future
# 31 "tests/compile/words.c" 3
) > 0, "df.h")
# 31 "tests/compile/words.c"
                                         ;

void r_void(int *x) { *x = 7; }
void *r_pointer(void *x) { return x; }
const char *r_const_pointer(int x) { return x ? "yes" : "no"; }
char r_char(char x) { return x; }
unsigned long long r_unsigned(unsigned long long x) { return x + 1; }
float r_float(float x) { return x / 2; }
long double r_long_double(long double x) { return x / 2; }
enum colour r_enum(enum colour x) { return x == RED ? GREEN : RED; }
pair r_struct(pair x) { pair y; y.re = x.im, y.im = x.re; return y; }
struct tree *r_tree(struct tree *x) { return x->left; }
compare r_function(compare x) { return x; }

static int by_value(const void *a, const void *b) { return a == b; }

static void results(void)
{
    int i = 0;
    pair p = { 1, 2 };
    struct tree leaf = { 
# 51 "tests/compile/words.c" 3 4
                        ((void *)0)
# 51 "tests/compile/words.c"
                            , 
# 51 "tests/compile/words.c" 3 4
                              ((void *)0)
# 51 "tests/compile/words.c"
                                  , 3 }, root = { 
# 51 "tests/compile/words.c" 3 4
                                                  ((void *)0)
# 51 "tests/compile/words.c"
                                                      , 
# 51 "tests/compile/words.c" 3 4
                                                        ((void *)0)
# 51 "tests/compile/words.c"
                                                            , 4 };
    r_void_future a;
    r_pointer_future b;
    r_const_pointer_future c;
    r_char_future d;
    r_unsigned_future e;
    r_float_future f;
    r_long_double_future g;
    r_enum_future h;
    r_struct_future s;
    r_tree_future t;
    r_function_future u;
    root.left = &leaf;
    r_void_spawn
# 64 "tests/compile/words.c" 3
   (
# 64 "tests/compile/words.c"
   &a, &i
# 64 "tests/compile/words.c" 3
   )
# 64 "tests/compile/words.c"
                           ;
    r_pointer_spawn
# 65 "tests/compile/words.c" 3
   (
# 65 "tests/compile/words.c"
   &b, &i
# 65 "tests/compile/words.c" 3
   )
# 65 "tests/compile/words.c"
                              ;
    r_const_pointer_spawn
# 66 "tests/compile/words.c" 3
   (
# 66 "tests/compile/words.c"
   &c, 1
# 66 "tests/compile/words.c" 3
   )
# 66 "tests/compile/words.c"
                                   ;
    r_char_spawn
# 67 "tests/compile/words.c" 3
   (
# 67 "tests/compile/words.c"
   &d, 'x'
# 67 "tests/compile/words.c" 3
   )
# 67 "tests/compile/words.c"
                            ;
    r_unsigned_spawn
# 68 "tests/compile/words.c" 3
   (
# 68 "tests/compile/words.c"
   &e, ~0ull - 1
# 68 "tests/compile/words.c" 3
   )
# 68 "tests/compile/words.c"
                                      ;
    r_float_spawn
# 69 "tests/compile/words.c" 3
   (
# 69 "tests/compile/words.c"
   &f, 3.0f
# 69 "tests/compile/words.c" 3
   )
# 69 "tests/compile/words.c"
                              ;
    r_long_double_spawn
# 70 "tests/compile/words.c" 3
   (
# 70 "tests/compile/words.c"
   &g, 3.0L
# 70 "tests/compile/words.c" 3
   )
# 70 "tests/compile/words.c"
                                    ;
    r_enum_spawn
# 71 "tests/compile/words.c" 3
   (
# 71 "tests/compile/words.c"
   &h, RED
# 71 "tests/compile/words.c" 3
   )
# 71 "tests/compile/words.c"
                            ;
    r_struct_spawn
# 72 "tests/compile/words.c" 3
   (
# 72 "tests/compile/words.c"
   &s, p
# 72 "tests/compile/words.c" 3
   )
# 72 "tests/compile/words.c"
                            ;
    r_tree_spawn
# 73 "tests/compile/words.c" 3
   (
# 73 "tests/compile/words.c"
   &t, &root
# 73 "tests/compile/words.c" 3
   )
# 73 "tests/compile/words.c"
                              ;
    r_function_spawn
# 74 "tests/compile/words.c" 3
   (
# 74 "tests/compile/words.c"
   &u, by_value
# 74 "tests/compile/words.c" 3
   )
# 74 "tests/compile/words.c"
                                     ;
    do { if (!(r_function_sync
# 75 "tests/compile/words.c" 3
   (
# 75 "tests/compile/words.c"
   &u
# 75 "tests/compile/words.c" 3
   ) 
# 75 "tests/compile/words.c"
   == by_value) && !wrong) wrong = 75; } while (0);
    do { if (!(r_tree_sync
# 76 "tests/compile/words.c" 3
   (
# 76 "tests/compile/words.c"
   &t
# 76 "tests/compile/words.c" 3
   )
# 76 "tests/compile/words.c"
   ->value == 3) && !wrong) wrong = 76; } while (0);
    p = r_struct_sync
# 77 "tests/compile/words.c" 3
       (
# 77 "tests/compile/words.c"
       &s
# 77 "tests/compile/words.c" 3
       )
# 77 "tests/compile/words.c"
                            ;
    do { if (!(p.re > 1.5 && p.im < 1.5) && !wrong) wrong = 78; } while (0);
    do { if (!(r_enum_sync
# 79 "tests/compile/words.c" 3
   (
# 79 "tests/compile/words.c"
   &h
# 79 "tests/compile/words.c" 3
   ) 
# 79 "tests/compile/words.c"
   == GREEN) && !wrong) wrong = 79; } while (0);
    do { if (!(r_long_double_sync
# 80 "tests/compile/words.c" 3
   (
# 80 "tests/compile/words.c"
   &g
# 80 "tests/compile/words.c" 3
   ) 
# 80 "tests/compile/words.c"
   > 1.4L) && !wrong) wrong = 80; } while (0);
    do { if (!(r_float_sync
# 81 "tests/compile/words.c" 3
   (
# 81 "tests/compile/words.c"
   &f
# 81 "tests/compile/words.c" 3
   ) 
# 81 "tests/compile/words.c"
   > 1.4f) && !wrong) wrong = 81; } while (0);
    do { if (!(r_unsigned_sync
# 82 "tests/compile/words.c" 3
   (
# 82 "tests/compile/words.c"
   &e
# 82 "tests/compile/words.c" 3
   ) 
# 82 "tests/compile/words.c"
   == ~0ull) && !wrong) wrong = 82; } while (0);
    do { if (!(r_char_sync
# 83 "tests/compile/words.c" 3
   (
# 83 "tests/compile/words.c"
   &d
# 83 "tests/compile/words.c" 3
   ) 
# 83 "tests/compile/words.c"
   == 'x') && !wrong) wrong = 83; } while (0);
    do { if (!(strcmp(r_const_pointer_sync
# 84 "tests/compile/words.c" 3
   (
# 84 "tests/compile/words.c"
   &c
# 84 "tests/compile/words.c" 3
   )
# 84 "tests/compile/words.c"
   , "yes") == 0) && !wrong) wrong = 84; } while (0);
    do { if (!(r_pointer_sync
# 85 "tests/compile/words.c" 3
   (
# 85 "tests/compile/words.c"
   &b
# 85 "tests/compile/words.c" 3
   ) 
# 85 "tests/compile/words.c"
   == &i) && !wrong) wrong = 85; } while (0);
    r_void_sync
# 86 "tests/compile/words.c" 3
   (
# 86 "tests/compile/words.c"
   &a
# 86 "tests/compile/words.c" 3
   )
# 86 "tests/compile/words.c"
                      ;
    do { if (!(i == 7) && !wrong) wrong = 87; } while (0);
    i = 0;
    
# 89 "tests/compile/words.c" 3
   for (__attribute__((cleanup(dfi_scope_leave))) struct dfi_block dfi_b_89 = dfi_scope_enter("tests/compile/words.c" ":" "89"); dfi_b_89.open; dfi_scope_leave(&dfi_b_89)) 
# 89 "tests/compile/words.c"
               {
        r_void_submit
# 90 "tests/compile/words.c" 3
       (
# 90 "tests/compile/words.c"
       &i
# 90 "tests/compile/words.c" 3
       )
# 90 "tests/compile/words.c"
                            ;
        r_pointer_submit
# 91 "tests/compile/words.c" 3
       (
# 91 "tests/compile/words.c"
       &i
# 91 "tests/compile/words.c" 3
       )
# 91 "tests/compile/words.c"
                               ;
        r_struct_submit
# 92 "tests/compile/words.c" 3
       (
# 92 "tests/compile/words.c"
       p
# 92 "tests/compile/words.c" 3
       )
# 92 "tests/compile/words.c"
                             ;
        r_float_submit
# 93 "tests/compile/words.c" 3
       (
# 93 "tests/compile/words.c"
       1.0f
# 93 "tests/compile/words.c" 3
       )
# 93 "tests/compile/words.c"
                               ;
    }
    do { if (!(i == 7) && !wrong) wrong = 95; } while (0);
}



static int counted;

 
# 102 "tests/compile/words.c" 3
extern 
# 102 "tests/compile/words.c"
int none
# 102 "tests/compile/words.c" 3
(void); typedef struct 
# 102 "tests/compile/words.c"
none_dfi_future 
# 102 "tests/compile/words.c" 3
{ 
# 102 "tests/compile/words.c"
int 
# 102 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 102 "tests/compile/words.c"
none_future
# 102 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 102 "tests/compile/words.c"
none_spawn
# 102 "tests/compile/words.c" 3
(
# 102 "tests/compile/words.c"
none_future 
# 102 "tests/compile/words.c" 3
*dfi_f ) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 102 "tests/compile/words.c"
none
# 102 "tests/compile/words.c" 3
(); } __attribute__((unused)) static 
# 102 "tests/compile/words.c"
int none_sync
# 102 "tests/compile/words.c" 3
(
# 102 "tests/compile/words.c"
none_future 
# 102 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 102 "tests/compile/words.c"
none_submit
# 102 "tests/compile/words.c" 3
(void) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 102 "tests/compile/words.c"
none
# 102 "tests/compile/words.c" 3
(); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 102 "tests/compile/words.c"
none_future
# 102 "tests/compile/words.c" 3
) > 0, "df.h")
# 102 "tests/compile/words.c"
                 ;
 
# 103 "tests/compile/words.c" 3
static 
# 103 "tests/compile/words.c"
void none_static
# 103 "tests/compile/words.c" 3
(void); typedef struct 
# 103 "tests/compile/words.c"
none_static_dfi_future 
# 103 "tests/compile/words.c" 3
{ char dfi_state; } 
# 103 "tests/compile/words.c"
none_static_future
# 103 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 103 "tests/compile/words.c"
none_static_spawn
# 103 "tests/compile/words.c" 3
(
# 103 "tests/compile/words.c"
none_static_future 
# 103 "tests/compile/words.c" 3
*dfi_f ) { dfi_f->dfi_state = 1; 
# 103 "tests/compile/words.c"
none_static
# 103 "tests/compile/words.c" 3
(); } __attribute__((unused)) static 
# 103 "tests/compile/words.c"
void none_static_sync
# 103 "tests/compile/words.c" 3
(
# 103 "tests/compile/words.c"
none_static_future 
# 103 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 103 "tests/compile/words.c"
none_static_submit
# 103 "tests/compile/words.c" 3
(void) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 103 "tests/compile/words.c"
none_static
# 103 "tests/compile/words.c" 3
(); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 103 "tests/compile/words.c"
none_static_future
# 103 "tests/compile/words.c" 3
) > 0, "df.h")
# 103 "tests/compile/words.c"
                                ;
 
# 104 "tests/compile/words.c" 3
extern 
# 104 "tests/compile/words.c"
long all
# 104 "tests/compile/words.c" 3
(
# 104 "tests/compile/words.c"
char a
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
signed char b
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned char c
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
short d
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned short e
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
int f
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned g
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
long h
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned long i
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
long long j
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned long long k
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
float l
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
double m
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
void * n
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
const char * o
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
pair p
# 104 "tests/compile/words.c" 3
); typedef struct 
# 104 "tests/compile/words.c"
all_dfi_future 
# 104 "tests/compile/words.c" 3
{ 
# 104 "tests/compile/words.c"
long 
# 104 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 104 "tests/compile/words.c"
all_future
# 104 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 104 "tests/compile/words.c"
all_spawn
# 104 "tests/compile/words.c" 3
(
# 104 "tests/compile/words.c"
all_future 
# 104 "tests/compile/words.c" 3
*dfi_f , 
# 104 "tests/compile/words.c"
char a 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
signed char b 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned char c 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
short d 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned short e 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
int f 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned g 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
long h 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned long i 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
long long j 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned long long k 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
float l 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
double m 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
void * n 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
const char * o 
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
pair p
# 104 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 104 "tests/compile/words.c"
all
# 104 "tests/compile/words.c" 3
(
# 104 "tests/compile/words.c"
a
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
b
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
c
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
d
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
e
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
f
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
g
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
h
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
i
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
j
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
k
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
l
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
m
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
n
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
o
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
p
# 104 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 104 "tests/compile/words.c"
long all_sync
# 104 "tests/compile/words.c" 3
(
# 104 "tests/compile/words.c"
all_future 
# 104 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 104 "tests/compile/words.c"
all_submit
# 104 "tests/compile/words.c" 3
(
# 104 "tests/compile/words.c"
char a
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
signed char b
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned char c
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
short d
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned short e
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
int f
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned g
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
long h
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned long i
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
long long j
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
unsigned long long k
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
float l
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
double m
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
void * n
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
const char * o
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
pair p
# 104 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 104 "tests/compile/words.c"
all
# 104 "tests/compile/words.c" 3
(
# 104 "tests/compile/words.c"
a
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
b
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
c
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
d
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
e
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
f
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
g
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
h
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
i
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
j
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
k
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
l
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
m
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
n
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
o
# 104 "tests/compile/words.c" 3
, 
# 104 "tests/compile/words.c"
p
# 104 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 104 "tests/compile/words.c"
all_future
# 104 "tests/compile/words.c" 3
) > 0, "df.h")

                                                               
# 106 "tests/compile/words.c"
                                                              ;
 
# 107 "tests/compile/words.c" 3
extern 
# 107 "tests/compile/words.c"
int arrays
# 107 "tests/compile/words.c" 3
(
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
a
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
b
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
c
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
d
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
e
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
f
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
g
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
h
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
i
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
j
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
k
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
l
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
m
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
n
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
o
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
*
# 107 "tests/compile/words.c"
sum
# 107 "tests/compile/words.c" 3
); typedef struct 
# 107 "tests/compile/words.c"
arrays_dfi_future 
# 107 "tests/compile/words.c" 3
{ 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
dfi_result; char dfi_state; } 
# 107 "tests/compile/words.c"
arrays_future
# 107 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 107 "tests/compile/words.c"
arrays_spawn
# 107 "tests/compile/words.c" 3
(
# 107 "tests/compile/words.c"
arrays_future 
# 107 "tests/compile/words.c" 3
*dfi_f , 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
a 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
b 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
c 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
d 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
e 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
f 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
g 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
h 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
i 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
j 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
k 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
l 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
m 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
n 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
o 
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
*
# 107 "tests/compile/words.c"
sum
# 107 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; dfi_f->dfi_result = 
# 107 "tests/compile/words.c"
arrays
# 107 "tests/compile/words.c" 3
(
# 107 "tests/compile/words.c"
a
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
b
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
c
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
d
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
e
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
f
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
g
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
h
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
i
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
j
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
k
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
l
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
m
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
n
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
o
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
sum
# 107 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 107 "tests/compile/words.c"
int arrays_sync
# 107 "tests/compile/words.c" 3
(
# 107 "tests/compile/words.c"
arrays_future 
# 107 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; return dfi_f->dfi_result; } __attribute__((unused)) static void 
# 107 "tests/compile/words.c"
arrays_submit
# 107 "tests/compile/words.c" 3
(
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
a
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
b
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
c
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
d
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
e
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
f
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
g
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
h
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
i
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
j
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
k
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
l
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
m
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
n
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
const *
# 107 "tests/compile/words.c"
o
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
int 
# 107 "tests/compile/words.c" 3
*
# 107 "tests/compile/words.c"
sum
# 107 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); (void) 
# 107 "tests/compile/words.c"
arrays
# 107 "tests/compile/words.c" 3
(
# 107 "tests/compile/words.c"
a
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
b
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
c
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
d
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
e
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
f
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
g
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
h
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
i
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
j
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
k
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
l
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
m
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
n
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
o
# 107 "tests/compile/words.c" 3
, 
# 107 "tests/compile/words.c"
sum
# 107 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 107 "tests/compile/words.c"
arrays_future
# 107 "tests/compile/words.c" 3
) > 0, "df.h")

                                                                                                    
# 109 "tests/compile/words.c"
                                                                                                   ;

int none(void) { return 5; }
static void none_static(void) { counted++; }
long all(char a, signed char b, unsigned char c, short d, unsigned short e, int f, unsigned g, long h, unsigned long i,
         long long j, unsigned long long k, float l, double m, void *n, const char *o, pair p)
{
    return a + b + c + d + e + f + (long)g + h + (long)i + (long)j + (long)k + (long)l + (long)m + (n != 
# 116 "tests/compile/words.c" 3 4
                                                                                                        ((void *)0)
# 116 "tests/compile/words.c"
                                                                                                            ) + o[0] +
           (long)p.im;
}
int arrays(const int *a, const int *b, const int *c, const int *d, const int *e, const int *f, const int *g,
           const int *h, const int *i, const int *j, const int *k, const int *l, const int *m, const int *n,
           const int *o, int *sum)
{
    return *sum = *a + *b + *c + *d + *e + *f + *g + *h + *i + *j + *k + *l + *m + *n + *o;
}

static void numbers(void)
{
    int sum = 0, v[15], i;
    pair p = { 0, 16 };
    none_future f;
    all_future g;
    for (i = 0; i < 15; i++) v[i] = i;
    none_spawn
# 133 "tests/compile/words.c" 3
   (
# 133 "tests/compile/words.c"
   &f
# 133 "tests/compile/words.c" 3
   )
# 133 "tests/compile/words.c"
                     ;
    do { if (!(none_sync
# 134 "tests/compile/words.c" 3
   (
# 134 "tests/compile/words.c"
   &f
# 134 "tests/compile/words.c" 3
   ) 
# 134 "tests/compile/words.c"
   == 5) && !wrong) wrong = 134; } while (0);
    
# 135 "tests/compile/words.c" 3
   for (__attribute__((cleanup(dfi_scope_leave))) struct dfi_block dfi_b_135 = dfi_scope_enter("tests/compile/words.c" ":" "135"); dfi_b_135.open; dfi_scope_leave(&dfi_b_135)) 
# 135 "tests/compile/words.c"
               {
        none_submit
# 136 "tests/compile/words.c" 3
       ()
# 136 "tests/compile/words.c"
                      ;
        none_static_submit
# 137 "tests/compile/words.c" 3
       ()
# 137 "tests/compile/words.c"
                             ;
    }
    do { if (!(counted == 1) && !wrong) wrong = 139; } while (0);
    all_spawn
# 140 "tests/compile/words.c" 3
   (
# 140 "tests/compile/words.c"
   &g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, &p, "\016", p
# 140 "tests/compile/words.c" 3
   )
# 140 "tests/compile/words.c"
                                                                              ;
    do { if (!(all_sync
# 141 "tests/compile/words.c" 3
   (
# 141 "tests/compile/words.c"
   &g
# 141 "tests/compile/words.c" 3
   ) 
# 141 "tests/compile/words.c"
   == 13 * 14 / 2 + 1 + 14 + 16) && !wrong) wrong = 141; } while (0);
    
# 142 "tests/compile/words.c" 3
   for (__attribute__((cleanup(dfi_scope_leave))) struct dfi_block dfi_b_142 = dfi_scope_enter("tests/compile/words.c" ":" "142"); dfi_b_142.open; dfi_scope_leave(&dfi_b_142)) 
# 142 "tests/compile/words.c"
               {
        all_submit
# 143 "tests/compile/words.c" 3
       (
# 143 "tests/compile/words.c"
       1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, &p, "\016", p
# 143 "tests/compile/words.c" 3
       )
# 143 "tests/compile/words.c"
                                                                               ;
        arrays_submit
# 144 "tests/compile/words.c" 3
       (
# 144 "tests/compile/words.c"
       v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10, v + 11, v + 12, v + 13, v + 14, &sum
# 144 "tests/compile/words.c" 3
       )
                                       
# 145 "tests/compile/words.c"
                                      ;
    }
    do { if (!(sum == 14 * 15 / 2) && !wrong) wrong = 147; } while (0);
}



 
# 152 "tests/compile/words.c" 3
extern 
# 152 "tests/compile/words.c"
void by_const
# 152 "tests/compile/words.c" 3
(
# 152 "tests/compile/words.c"
const int x
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
const pair p
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
const char *const s
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
int 
# 152 "tests/compile/words.c" 3
*
# 152 "tests/compile/words.c"
y
# 152 "tests/compile/words.c" 3
); typedef struct 
# 152 "tests/compile/words.c"
by_const_dfi_future 
# 152 "tests/compile/words.c" 3
{ char dfi_state; } 
# 152 "tests/compile/words.c"
by_const_future
# 152 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 152 "tests/compile/words.c"
by_const_spawn
# 152 "tests/compile/words.c" 3
(
# 152 "tests/compile/words.c"
by_const_future 
# 152 "tests/compile/words.c" 3
*dfi_f , 
# 152 "tests/compile/words.c"
const int x 
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
const pair p 
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
const char *const s 
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
int 
# 152 "tests/compile/words.c" 3
*
# 152 "tests/compile/words.c"
y
# 152 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 152 "tests/compile/words.c"
by_const
# 152 "tests/compile/words.c" 3
(
# 152 "tests/compile/words.c"
x
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
p
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
s
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
y
# 152 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 152 "tests/compile/words.c"
void by_const_sync
# 152 "tests/compile/words.c" 3
(
# 152 "tests/compile/words.c"
by_const_future 
# 152 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 152 "tests/compile/words.c"
by_const_submit
# 152 "tests/compile/words.c" 3
(
# 152 "tests/compile/words.c"
const int x
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
const pair p
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
const char *const s
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
int 
# 152 "tests/compile/words.c" 3
*
# 152 "tests/compile/words.c"
y
# 152 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 152 "tests/compile/words.c"
by_const
# 152 "tests/compile/words.c" 3
(
# 152 "tests/compile/words.c"
x
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
p
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
s
# 152 "tests/compile/words.c" 3
, 
# 152 "tests/compile/words.c"
y
# 152 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 152 "tests/compile/words.c"
by_const_future
# 152 "tests/compile/words.c" 3
) > 0, "df.h")
# 152 "tests/compile/words.c"
                                                                                                  ;
 
# 153 "tests/compile/words.c" 3
extern 
# 153 "tests/compile/words.c"
void by_name
# 153 "tests/compile/words.c" 3
(
# 153 "tests/compile/words.c"
name * s
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
enum colour c
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
struct tree t
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
long 
# 153 "tests/compile/words.c" 3
*
# 153 "tests/compile/words.c"
y
# 153 "tests/compile/words.c" 3
); typedef struct 
# 153 "tests/compile/words.c"
by_name_dfi_future 
# 153 "tests/compile/words.c" 3
{ char dfi_state; } 
# 153 "tests/compile/words.c"
by_name_future
# 153 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 153 "tests/compile/words.c"
by_name_spawn
# 153 "tests/compile/words.c" 3
(
# 153 "tests/compile/words.c"
by_name_future 
# 153 "tests/compile/words.c" 3
*dfi_f , 
# 153 "tests/compile/words.c"
name * s 
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
enum colour c 
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
struct tree t 
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
long 
# 153 "tests/compile/words.c" 3
*
# 153 "tests/compile/words.c"
y
# 153 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 153 "tests/compile/words.c"
by_name
# 153 "tests/compile/words.c" 3
(
# 153 "tests/compile/words.c"
s
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
c
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
t
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
y
# 153 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 153 "tests/compile/words.c"
void by_name_sync
# 153 "tests/compile/words.c" 3
(
# 153 "tests/compile/words.c"
by_name_future 
# 153 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 153 "tests/compile/words.c"
by_name_submit
# 153 "tests/compile/words.c" 3
(
# 153 "tests/compile/words.c"
name * s
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
enum colour c
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
struct tree t
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
long 
# 153 "tests/compile/words.c" 3
*
# 153 "tests/compile/words.c"
y
# 153 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 153 "tests/compile/words.c"
by_name
# 153 "tests/compile/words.c" 3
(
# 153 "tests/compile/words.c"
s
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
c
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
t
# 153 "tests/compile/words.c" 3
, 
# 153 "tests/compile/words.c"
y
# 153 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 153 "tests/compile/words.c"
by_name_future
# 153 "tests/compile/words.c" 3
) > 0, "df.h")
# 153 "tests/compile/words.c"
                                                                                          ;
 
# 154 "tests/compile/words.c" 3
extern 
# 154 "tests/compile/words.c"
void arr
# 154 "tests/compile/words.c" 3
(
# 154 "tests/compile/words.c"
pair 
# 154 "tests/compile/words.c" 3
const *
# 154 "tests/compile/words.c"
a
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
pair 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
b
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
double 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
c
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
d
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
e
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int n
# 154 "tests/compile/words.c" 3
); typedef struct 
# 154 "tests/compile/words.c"
arr_dfi_future 
# 154 "tests/compile/words.c" 3
{ char dfi_state; } 
# 154 "tests/compile/words.c"
arr_future
# 154 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 154 "tests/compile/words.c"
arr_spawn
# 154 "tests/compile/words.c" 3
(
# 154 "tests/compile/words.c"
arr_future 
# 154 "tests/compile/words.c" 3
*dfi_f , 
# 154 "tests/compile/words.c"
pair 
# 154 "tests/compile/words.c" 3
const *
# 154 "tests/compile/words.c"
a 
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
pair 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
b 
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
double 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
c 
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
d 
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
e 
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int n
# 154 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 154 "tests/compile/words.c"
arr
# 154 "tests/compile/words.c" 3
(
# 154 "tests/compile/words.c"
a
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
b
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
c
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
d
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
e
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
n
# 154 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 154 "tests/compile/words.c"
void arr_sync
# 154 "tests/compile/words.c" 3
(
# 154 "tests/compile/words.c"
arr_future 
# 154 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 154 "tests/compile/words.c"
arr_submit
# 154 "tests/compile/words.c" 3
(
# 154 "tests/compile/words.c"
pair 
# 154 "tests/compile/words.c" 3
const *
# 154 "tests/compile/words.c"
a
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
pair 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
b
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
double 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
c
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
d
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int 
# 154 "tests/compile/words.c" 3
*
# 154 "tests/compile/words.c"
e
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
int n
# 154 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 154 "tests/compile/words.c"
arr
# 154 "tests/compile/words.c" 3
(
# 154 "tests/compile/words.c"
a
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
b
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
c
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
d
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
e
# 154 "tests/compile/words.c" 3
, 
# 154 "tests/compile/words.c"
n
# 154 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 154 "tests/compile/words.c"
arr_future
# 154 "tests/compile/words.c" 3
) > 0, "df.h")
                                                       
# 155 "tests/compile/words.c"
                                                      ;
 
# 156 "tests/compile/words.c" 3
extern 
# 156 "tests/compile/words.c"
void red
# 156 "tests/compile/words.c" 3
(
# 156 "tests/compile/words.c"
long 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
s
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
double 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
p
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
a
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
o
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
x
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
la
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
lo
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
float 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
mi
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
float 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
ma
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int n
# 156 "tests/compile/words.c" 3
); typedef struct 
# 156 "tests/compile/words.c"
red_dfi_future 
# 156 "tests/compile/words.c" 3
{ char dfi_state; } 
# 156 "tests/compile/words.c"
red_future
# 156 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 156 "tests/compile/words.c"
red_spawn
# 156 "tests/compile/words.c" 3
(
# 156 "tests/compile/words.c"
red_future 
# 156 "tests/compile/words.c" 3
*dfi_f , 
# 156 "tests/compile/words.c"
long 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
s 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
double 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
p 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
a 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
o 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
x 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
la 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
lo 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
float 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
mi 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
float 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
ma 
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int n
# 156 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 156 "tests/compile/words.c"
red
# 156 "tests/compile/words.c" 3
(
# 156 "tests/compile/words.c"
s
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
p
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
a
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
o
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
x
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
la
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
lo
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
mi
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
ma
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
n
# 156 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 156 "tests/compile/words.c"
void red_sync
# 156 "tests/compile/words.c" 3
(
# 156 "tests/compile/words.c"
red_future 
# 156 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 156 "tests/compile/words.c"
red_submit
# 156 "tests/compile/words.c" 3
(
# 156 "tests/compile/words.c"
long 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
s
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
double 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
p
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
a
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
o
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
x
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
la
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
lo
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
float 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
mi
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
float 
# 156 "tests/compile/words.c" 3
*
# 156 "tests/compile/words.c"
ma
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
int n
# 156 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 156 "tests/compile/words.c"
red
# 156 "tests/compile/words.c" 3
(
# 156 "tests/compile/words.c"
s
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
p
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
a
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
o
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
x
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
la
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
lo
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
mi
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
ma
# 156 "tests/compile/words.c" 3
, 
# 156 "tests/compile/words.c"
n
# 156 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 156 "tests/compile/words.c"
red_future
# 156 "tests/compile/words.c" 3
) > 0, "df.h")


                 
# 159 "tests/compile/words.c"
                ;
 
# 160 "tests/compile/words.c" 3
extern 
# 160 "tests/compile/words.c"
void blk
# 160 "tests/compile/words.c" 3
(
# 160 "tests/compile/words.c"
size_t r
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
size_t c
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
size_t ld
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
const *
# 160 "tests/compile/words.c"
a
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
b
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
d
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
e
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
f
# 160 "tests/compile/words.c" 3
); typedef struct 
# 160 "tests/compile/words.c"
blk_dfi_future 
# 160 "tests/compile/words.c" 3
{ char dfi_state; } 
# 160 "tests/compile/words.c"
blk_future
# 160 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 160 "tests/compile/words.c"
blk_spawn
# 160 "tests/compile/words.c" 3
(
# 160 "tests/compile/words.c"
blk_future 
# 160 "tests/compile/words.c" 3
*dfi_f , 
# 160 "tests/compile/words.c"
size_t r 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
size_t c 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
size_t ld 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
const *
# 160 "tests/compile/words.c"
a 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
b 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
d 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
e 
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
f
# 160 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 160 "tests/compile/words.c"
blk
# 160 "tests/compile/words.c" 3
(
# 160 "tests/compile/words.c"
r
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
c
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
ld
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
a
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
b
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
d
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
e
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
f
# 160 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 160 "tests/compile/words.c"
void blk_sync
# 160 "tests/compile/words.c" 3
(
# 160 "tests/compile/words.c"
blk_future 
# 160 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 160 "tests/compile/words.c"
blk_submit
# 160 "tests/compile/words.c" 3
(
# 160 "tests/compile/words.c"
size_t r
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
size_t c
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
size_t ld
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
const *
# 160 "tests/compile/words.c"
a
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
b
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
d
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
e
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
float 
# 160 "tests/compile/words.c" 3
*
# 160 "tests/compile/words.c"
f
# 160 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 160 "tests/compile/words.c"
blk
# 160 "tests/compile/words.c" 3
(
# 160 "tests/compile/words.c"
r
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
c
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
ld
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
a
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
b
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
d
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
e
# 160 "tests/compile/words.c" 3
, 
# 160 "tests/compile/words.c"
f
# 160 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 160 "tests/compile/words.c"
blk_future
# 160 "tests/compile/words.c" 3
) > 0, "df.h")
                                                                                                               
# 161 "tests/compile/words.c"
                                                                                                              ;
 
# 162 "tests/compile/words.c" 3
extern 
# 162 "tests/compile/words.c"
void rng
# 162 "tests/compile/words.c" 3
(
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
const *
# 162 "tests/compile/words.c"
a
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
const *
# 162 "tests/compile/words.c"
b
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
c
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
d
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
e
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
f
# 162 "tests/compile/words.c" 3
); typedef struct 
# 162 "tests/compile/words.c"
rng_dfi_future 
# 162 "tests/compile/words.c" 3
{ char dfi_state; } 
# 162 "tests/compile/words.c"
rng_future
# 162 "tests/compile/words.c" 3
; __attribute__((unused)) static void 
# 162 "tests/compile/words.c"
rng_spawn
# 162 "tests/compile/words.c" 3
(
# 162 "tests/compile/words.c"
rng_future 
# 162 "tests/compile/words.c" 3
*dfi_f , 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
const *
# 162 "tests/compile/words.c"
a
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
const *
# 162 "tests/compile/words.c"
b 
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
c
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
d 
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
e
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
f
# 162 "tests/compile/words.c" 3
) { dfi_f->dfi_state = 1; 
# 162 "tests/compile/words.c"
rng
# 162 "tests/compile/words.c" 3
(
# 162 "tests/compile/words.c"
a
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
b
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
c
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
d
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
e
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
f
# 162 "tests/compile/words.c" 3
); } __attribute__((unused)) static 
# 162 "tests/compile/words.c"
void rng_sync
# 162 "tests/compile/words.c" 3
(
# 162 "tests/compile/words.c"
rng_future 
# 162 "tests/compile/words.c" 3
*dfi_f) { dfi_f->dfi_state = 0; } __attribute__((unused)) static void 
# 162 "tests/compile/words.c"
rng_submit
# 162 "tests/compile/words.c" 3
(
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
const *
# 162 "tests/compile/words.c"
a
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
const *
# 162 "tests/compile/words.c"
b
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
c
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
d
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
e
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
short 
# 162 "tests/compile/words.c" 3
*
# 162 "tests/compile/words.c"
f
# 162 "tests/compile/words.c" 3
) { struct dfi_local *dfi_m = dfi_serial_enter(); 
# 162 "tests/compile/words.c"
rng
# 162 "tests/compile/words.c" 3
(
# 162 "tests/compile/words.c"
a
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
b
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
c
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
d
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
e
# 162 "tests/compile/words.c" 3
, 
# 162 "tests/compile/words.c"
f
# 162 "tests/compile/words.c" 3
); dfi_serial_leave(dfi_m); } _Static_assert(sizeof(
# 162 "tests/compile/words.c"
rng_future
# 162 "tests/compile/words.c" 3
) > 0, "df.h")
# 162 "tests/compile/words.c"
                                                                                                   ;

void by_const(const int x, const pair p, const char *const s, int *y) { *y = x + (int)p.re + s[0]; }
void by_name(name *s, enum colour c, struct tree t, long *y) { *y = (*s)[0] + (long)c + t.value; }
void arr(const pair *a, pair *b, double *c, int *d, int *e, int n)
{
    int i;
    for (i = 0; i < n; i++) b[i] = a[i], c[2 * i] += 1, e[i]++;
    *d += n;
}
void red(long *s, double *p, int *a, int *o, int *x, int *la, int *lo, float *mi, float *ma, int n)
{
    *s += 2, *p *= 2, *a &= 6, *o |= 1, *x ^= 1, *la = *la && n, *lo = *lo || !n;
    *mi = *mi < 1 ? *mi : 1, *ma = *ma > 1 ? *ma : 1;
}
void blk(size_t r, size_t c, size_t ld, const float *a, float *b, float *d, float *e, float *f)
{
    size_t i, j;
    for (i = 0; i < r; i++)
        for (j = 0; j < c; j++) b[i * ld + j] = a[i * ld + j], d[i * ld + j] += 1, e[i * ld + j] += 1, f[i * ld + j] = 9;
}
void rng(const short *a, const short *b, short *c, short *d, short *e, short *f)
{
    do { if (!(b - a == d - c && f - e == 1) && !wrong) wrong = 185; } while (0);
    while (a < b) *c++ = *a++;
    *e = 1;
}

static void words(void)
{
    int y = 0, i, d = 0, e[4] = { 0, 0, 0, 0 }, a = 7, o = 0, x = 0, la = 1, lo = 0;
    long z = 0, s = 0;
    pair p = { 3, 4 }, q[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, r[3];
    double c[6] = { 0, 0, 0, 0, 0, 0 }, prod = 1;
    float mi = 5, ma = 0, m[5][6][4];
    short u[8] = { 1, 2, 3, 4, 0, 0, 0, 0 };
    struct tree t = { 
# 198 "tests/compile/words.c" 3 4
                     ((void *)0)
# 198 "tests/compile/words.c"
                         , 
# 198 "tests/compile/words.c" 3 4
                           ((void *)0)
# 198 "tests/compile/words.c"
                               , 100 };
    name n = "abc";
    memset(m, 0, sizeof m);
    m[0][1][2] = 8;
    
# 202 "tests/compile/words.c" 3
   for (__attribute__((cleanup(dfi_scope_leave))) struct dfi_block dfi_b_202 = dfi_scope_enter("tests/compile/words.c" ":" "202"); dfi_b_202.open; dfi_scope_leave(&dfi_b_202)) 
# 202 "tests/compile/words.c"
               {
        by_const_submit
# 203 "tests/compile/words.c" 3
       (
# 203 "tests/compile/words.c"
       1, p, "\004", &y
# 203 "tests/compile/words.c" 3
       )
# 203 "tests/compile/words.c"
                                            ;
        by_name_submit
# 204 "tests/compile/words.c" 3
       (
# 204 "tests/compile/words.c"
       &n, GREEN, t, &z
# 204 "tests/compile/words.c" 3
       )
# 204 "tests/compile/words.c"
                                           ;
        for (i = 0; i < 2; i++) {
            arr_submit
# 206 "tests/compile/words.c" 3
           (
# 206 "tests/compile/words.c"
           q, r, c, &d, e, 3
# 206 "tests/compile/words.c" 3
           )
# 206 "tests/compile/words.c"
                                            ;
            red_submit
# 207 "tests/compile/words.c" 3
           (
# 207 "tests/compile/words.c"
           &s, &prod, &a, &o, &x, &la, &lo, &mi, &ma, 1
# 207 "tests/compile/words.c" 3
           )
# 207 "tests/compile/words.c"
                                                                       ;
        }
        blk_submit
# 209 "tests/compile/words.c" 3
       (
# 209 "tests/compile/words.c"
       3, 4, 24, &m[0][1][0], &m[1][1][0], &m[2][0][0], &m[3][0][0], &m[4][0][0]
# 209 "tests/compile/words.c" 3
       )
# 209 "tests/compile/words.c"
                                                                                                ;
        rng_submit
# 210 "tests/compile/words.c" 3
       (
# 210 "tests/compile/words.c"
       u, u + 4, u + 4, u + 7 + 1, u, u + 1
# 210 "tests/compile/words.c" 3
       )
# 210 "tests/compile/words.c"
                                                           ;
        rng_submit
# 211 "tests/compile/words.c" 3
       (
# 211 "tests/compile/words.c"
       u, u, u + 1, u + 1, u, u + 1
# 211 "tests/compile/words.c" 3
       )
# 211 "tests/compile/words.c"
                                                   ;
    }
    
# 213 "tests/compile/words.c" 3
   ((void)(
# 213 "tests/compile/words.c"
   u
# 213 "tests/compile/words.c" 3
   ), (void)(
# 213 "tests/compile/words.c"
   sizeof u
# 213 "tests/compile/words.c" 3
   ))
# 213 "tests/compile/words.c"
                          ;
    
# 214 "tests/compile/words.c" 3
   ((void)0)
# 214 "tests/compile/words.c"
            ;
    do { if (!(y == 8) && !wrong) wrong = 215; } while (0);
    do { if (!(z == 'a' + 1 + 100) && !wrong) wrong = 216; } while (0);
    do { if (!(d == 6 && e[2] == 2 && e[3] == 0 && c[4] > 1.5 && r[2].im > 5.5) && !wrong) wrong = 217; } while (0);
    do { if (!(s == 4 && prod > 3.5 && a == 6 && o == 1 && x == 0 && la == 1 && lo == 0 && mi < 1.5f && ma > 0.5f) && !wrong) wrong = 218; } while (0);
    do { if (!(u[7] == 4 && u[4] == 1 && u[0] == 1) && !wrong) wrong = 219; } while (0);
}



static void block(void *x) { r_void_submit
# 224 "tests/compile/words.c" 3
                            (
# 224 "tests/compile/words.c"
                            (int *)x
# 224 "tests/compile/words.c" 3
                            )
# 224 "tests/compile/words.c"
                                                       ; }

static void rest(void)
{
    int x = 0, *p = 
# 228 "tests/compile/words.c" 3 4
                   ((void *)0)
# 228 "tests/compile/words.c"
                       ;
    df_counters c;
    df_config config;
    memset(&config, 0, sizeof config);
    df_stop();
    config.workers = 2;
    do { if (!(df_start(&config) == DF_OK) && !wrong) wrong = 234; } while (0);
    do { if (!(df_workers() >= 1 && df_worker() == 0) && !wrong) wrong = 235; } while (0);
    
# 236 "tests/compile/words.c" 3
   ((
# 236 "tests/compile/words.c"
   block
# 236 "tests/compile/words.c" 3
   )(
# 236 "tests/compile/words.c"
   &x
# 236 "tests/compile/words.c" 3
   ))
# 236 "tests/compile/words.c"
                         ;
    do { if (!(x == 7) && !wrong) wrong = 237; } while (0);
    
# 238 "tests/compile/words.c" 3
   for (__attribute__((cleanup(dfi_scope_leave))) struct dfi_block dfi_b_238 = dfi_scope_enter("tests/compile/words.c" ":" "238"); dfi_b_238.open; dfi_scope_leave(&dfi_b_238)) 
# 238 "tests/compile/words.c"
               {
        p = 
# 239 "tests/compile/words.c" 3
           ((
# 239 "tests/compile/words.c"
           int 
# 239 "tests/compile/words.c" 3
           *)dfi_local_alloc((size_t)(
# 239 "tests/compile/words.c"
           4
# 239 "tests/compile/words.c" 3
           ), sizeof(
# 239 "tests/compile/words.c"
           int
# 239 "tests/compile/words.c" 3
           )))
# 239 "tests/compile/words.c"
                           ;
        do { if (!(p != 
# 240 "tests/compile/words.c" 3 4
       ((void *)0) 
# 240 "tests/compile/words.c"
       && p[3] == 0) && !wrong) wrong = 240; } while (0);
        r_void_submit
# 241 "tests/compile/words.c" 3
       (
# 241 "tests/compile/words.c"
       p
# 241 "tests/compile/words.c" 3
       )
# 241 "tests/compile/words.c"
                           ;
    }
    do { if (!(df_stats(&c) == DF_OK && c.tasks > 0) && !wrong) wrong = 243; } while (0);
    do { if (!(strlen(df_error_text(DF_ERROR_MEMORY)) > 10) && !wrong) wrong = 244; } while (0);
    
# 245 "tests/compile/words.c" 3
   for (__attribute__((cleanup(dfi_scope_leave))) struct dfi_block dfi_b_245 = dfi_scope_enter("tests/compile/words.c" ":" "245"); dfi_b_245.open; dfi_scope_leave(&dfi_b_245)) 
# 245 "tests/compile/words.c"
               x++;
    do { if (!(x == 8) && !wrong) wrong = 246; } while (0);
    df_stop();
}

int main(void)
{
    results();
    numbers();
    words();
    rest();
    return wrong ? (wrong > 255 ? 255 : wrong) : 0;
}

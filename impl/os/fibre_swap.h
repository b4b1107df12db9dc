/* fibre_swap.h - stack switches between fibres, in assembler for the known processors
 *
 * The order: choice of the method (os/fibre.h) and the structs, the interface to the sanitizers, and the stack
 * switches for x86-64, i386, aarch64 and riscv64. */
#ifndef DFI_OS_FIBRE_SWAP_H
#define DFI_OS_FIBRE_SWAP_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "system.h"

/* Is there an assembler switch? A build may set this to 0 to test the other methods. */
#ifndef DFI_FIBRE_HAND
#if !DFI_GNU || defined(_WIN32)
#define DFI_FIBRE_HAND 0
#elif DFI_TSAN && !defined(__clang__) && __GNUC__ < 10 /* its TSan runtime has no fibres */
#define DFI_FIBRE_HAND 0
#elif defined(__x86_64__) && !defined(__ILP32__)
#define DFI_FIBRE_HAND 1
#elif defined(__i386__) || (defined(__aarch64__) && !defined(__ILP32__) && defined(__ARM_FP))
#define DFI_FIBRE_HAND 1
#elif defined(__riscv) && __riscv_xlen == 64 && !defined(__riscv_shadow_stack)
#define DFI_FIBRE_HAND 1
#else
#define DFI_FIBRE_HAND 0
#endif
#endif
/* Is the code compiled for a shadow stack, which the processor at run time may or may not have? */
#if DFI_FIBRE_HAND && ((defined(__CET__) && __CET__ & 2) || defined(__ARM_FEATURE_GCS_DEFAULT))
#define DFI_FIBRE_SHADOW 1
#else
#define DFI_FIBRE_SHADOW 0
#endif
/* The other methods: threads, <ucontext.h>. */
#if DFI_FIBRE_HAND && !DFI_FIBRE_SHADOW
#define DFI_FIBRE_THREADS 0
#define DFI_FIBRE_UCONTEXT 0
#elif !defined(DF_SERIAL)
#define DFI_FIBRE_THREADS 1
#define DFI_FIBRE_UCONTEXT 0
#include <setjmp.h>
#else
#define DFI_FIBRE_THREADS 0
#if defined(__unix__)
#endif
#if defined(__GLIBC__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__DragonFly__)
#define DFI_FIBRE_UCONTEXT 1
#include <ucontext.h>
#else
#define DFI_FIBRE_UCONTEXT 0
#endif
#endif

enum {
    /* Bytes of a stack: for the arrays of a kernel and the functions of <math.h>. Only touched pages use memory.
     * Sanitizers need larger frames, and stack for their reports. */
    DFI_FIBRE_STACK = (DFI_ASAN || DFI_TSAN ? 256 : sizeof(void *) > 4 ? 64 : 32) * 1024,
    /* The gap between stacks, 9 cache lines. If stacks were a power of two apart, their upper ends, which are in use,
     * would fall into the same few cache sets. */
    DFI_FIBRE_APART = 9 * 64,
    DFI_FIBRE_STRIDE = DFI_FIBRE_STACK + DFI_FIBRE_APART,
    /* Extra space below the first stack. Item 0 is the first to overflow, and the overflow is detected when it waits
     * or ends, before it has overwritten another stack. */
    DFI_FIBRE_BELOW = DFI_FIBRE_STACK * 16,
    DFI_FIBRE_MARK = 0x5af1b2e0 /* canary at the low end of each stack */
};

struct dfi_fibres;
struct dfi_fibre {
    void *sp;                     /* assembler: the saved stack pointer; must be the first field */
    struct dfi_fibres *of;
    char *stack;                  /* low end of the stack; NULL: the stack of the thread */
    int i;
#if DFI_ASAN
    void *fake;                   /* the fake stack that ASan keeps for the fibre, and the bounds of its stack */
    const void *bottom;
    size_t bytes;
    int begun;
#endif
#if DFI_TSAN
    void *tsan;
#endif
#if DFI_FIBRE_THREADS
    struct dfi_os_thread thread;
    struct dfi_os_event event;
    DFI_ATOMIC(int) go;           /* 1: it is this fibre's turn */
    jmp_buf begin;
#elif DFI_FIBRE_UCONTEXT
    ucontext_t context;
#endif
};

/* The results of dfi_fibres_run. After all but the first, some items have not ended, and the fibres can only be
 * freed. */
enum dfi_fibres_end {
    DFI_FIBRES_DONE,
    DFI_FIBRES_SPLIT,             /* some items waited at a barrier that others did not reach */
    DFI_FIBRES_OVERFLOW,          /* an item overflowed its stack */
    DFI_FIBRES_LEFT               /* an item called dfi_fibres_leave */
};

struct dfi_fibres {
    struct dfi_fibre main;        /* the thread that called dfi_fibres_run */
    struct dfi_fibre *fibre;
    char *memory;                 /* memory of the stacks */
    int most, n;                  /* existing fibres; fibres in use */
    int now, waiting, over;       /* index of the running item; number of items that wait, and that ended, since item 0
                                   * last began or continued */
    unsigned round;               /* number of barriers passed */
    int by_hand, quit;
    int ordered;                  /* for TSan: more than barriers orders the items, because they accumulate into shared
                                   * memory */
    enum dfi_fibres_end end;
    uint64_t modes;               /* assembler: floating-point modes at the last stop */
    void (*run)(void *arg, int i);
    void *arg;
#if DFI_ASAN
    struct dfi_fibre *from;       /* the previously running fibre */
#endif
#if DFI_TSAN
    char begin, done, barrier[2]; /* synchronisation objects that TSan sees */
#endif
};

/* --- interface to the sanitizers ----------------------------------------------------------------------
 * For TSan the items are threads that only barriers order, so it reports missing barriers. The data of this file are
 * accessed by functions marked DFI_FIBRE_QUIET, and are ordered because all fibres run in one thread. */

#if DFI_TSAN && DFI_FIBRE_HAND
#define DFI_FIBRE_QUIET __attribute__((no_sanitize_thread))
DFI_EXTERN_C_BEGIN
extern void *__tsan_create_fiber(unsigned flags);
extern void __tsan_destroy_fiber(void *fiber);
extern void __tsan_switch_to_fiber(void *fiber, unsigned flags);
extern void *__tsan_get_current_fiber(void);
extern void __tsan_acquire(void *p);
extern void __tsan_release(void *p);
DFI_EXTERN_C_END
#define dfi_fibre_acquire(p) __tsan_acquire(p)
#define dfi_fibre_release(p) __tsan_release(p)
#else
#define DFI_FIBRE_QUIET
#define dfi_fibre_acquire(p) ((void)0)
#define dfi_fibre_release(p) ((void)0)
#endif
#if DFI_ASAN && DFI_FIBRE_HAND
DFI_EXTERN_C_BEGIN
extern void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t bytes);
extern void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *bytes);
DFI_EXTERN_C_END
#endif

/* --- assembler -------------------------------------------------------------------------------------
 * dfi_fibre_swap(from, to) pushes the registers that a function has to preserve onto the stack of `from`, stores the
 * stack pointer in from->sp, loads to->sp, and returns on that stack: after the call that stopped `to`, or at the
 * beginning of dfi_fibre_entry(to), with `to` still in the register of the first argument. The inner call pushes the
 * return address for `ret`, so the processor predicts it. All other registers are in the clobber list. Floating-point
 * modes are loaded only if they differ, because loading them takes as long as the rest of the switch; they are the
 * first 8 bytes of a frame. */

#if DFI_FIBRE_HAND
DFI_STATIC_ASSERT(offsetof(struct dfi_fibre, sp) == 0, "df: dfi_fibre_swap");

#if defined(__x86_64__)
#define DFI_FIBRE_ENTRY
#define DFI_FIBRE_SSE(text) text
#if defined(__AVX512F__)
#define DFI_FIBRE_AVX512                                                                               \
    "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", \
    "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#else
#define DFI_FIBRE_AVX512
#endif
static DFI_OWN_FRAME DFI_FIBRE_QUIET void dfi_fibre_swap(struct dfi_fibre *from, struct dfi_fibre *to)
{
    __asm__ __volatile__(
        "subq $128, %%rsp\n\t" /* skips the red zone, which this function may use */
        "call 1f\n\t"
        "addq $128, %%rsp\n\t"
        "jmp 2f\n"
        "1:\n\t"
        "pushq %%rbp\n\t"
        "pushq %%rbx\n\t"
        "subq $8, %%rsp\n\t"
        "stmxcsr (%%rsp)\n\t"
        "fnstcw 4(%%rsp)\n\t"
        "movl (%%rsp), %%eax\n\t"
        "movzwl 4(%%rsp), %%ecx\n\t"
        "movq %%rsp, (%1)\n\t"
        "movq (%0), %%rsp\n\t"
        "xorl (%%rsp), %%eax\n\t"
        "testl $0xffc0, %%eax\n\t" /* ignores the exception flags */
        "je 3f\n\t"
        "ldmxcsr (%%rsp)\n"
        "3:\n\t"
        "cmpw 4(%%rsp), %%cx\n\t"
        "je 4f\n\t"
        "fldcw 4(%%rsp)\n"
        "4:\n\t"
        "addq $8, %%rsp\n\t"
        "popq %%rbx\n\t"
        "popq %%rbp\n\t"
        "ret\n"
        "2:"
        : "+D"(to), "+S"(from)
        :
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
          "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
          DFI_FIBRE_AVX512 "memory", "cc");
}
enum { DFI_FIBRE_FRAME = 5, DFI_FIBRE_RETURN = 3 }; /* modes, rbx, rbp, return address; return address of entry: none */

#elif defined(__i386__)
#define DFI_FIBRE_ENTRY __attribute__((regparm(1)))
#if defined(__SSE__)
#define DFI_FIBRE_SSE(text) text
#define DFI_FIBRE_XMM "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
#else
#define DFI_FIBRE_SSE(text)
#define DFI_FIBRE_XMM
#endif
static DFI_OWN_FRAME DFI_FIBRE_QUIET void dfi_fibre_swap(struct dfi_fibre *from, struct dfi_fibre *to)
{
    __asm__ __volatile__(
        "call 1f\n\t"
        "jmp 2f\n"
        "1:\n\t"
        "pushl %%ebp\n\t"
        "pushl %%ebx\n\t"
        "subl $8, %%esp\n\t"
        DFI_FIBRE_SSE("stmxcsr (%%esp)\n\t")
        "fnstcw 4(%%esp)\n\t"
        DFI_FIBRE_SSE("movl (%%esp), %%esi\n\t")
        "movzwl 4(%%esp), %%ecx\n\t"
        "movl %%esp, (%1)\n\t"
        "movl (%0), %%esp\n\t"
        DFI_FIBRE_SSE("xorl (%%esp), %%esi\n\t"
        "testl $0xffc0, %%esi\n\t"
        "je 3f\n\t"
        "ldmxcsr (%%esp)\n"
        "3:\n\t")
        "cmpw 4(%%esp), %%cx\n\t"
        "je 4f\n\t"
        "fldcw 4(%%esp)\n"
        "4:\n\t"
        "addl $8, %%esp\n\t"
        "popl %%ebx\n\t"
        "popl %%ebp\n\t"
        "ret\n"
        "2:"
        : "+a"(to), "+d"(from)
        :
        : "ecx", "esi", "edi", DFI_FIBRE_XMM "memory", "cc");
}
enum { DFI_FIBRE_FRAME = 6, DFI_FIBRE_RETURN = 4 }; /* modes (2), ebx, ebp, return address; return address of entry */

#elif defined(__aarch64__)
#define DFI_FIBRE_ENTRY
#if defined(__ARM_FEATURE_SVE)
#define DFI_FIBRE_SVE \
    "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15",
#else
#define DFI_FIBRE_SVE
#endif
static DFI_OWN_FRAME DFI_FIBRE_QUIET void dfi_fibre_swap(struct dfi_fibre *from, struct dfi_fibre *to)
{
    register struct dfi_fibre *a __asm__("x0") = to;
    register struct dfi_fibre *b __asm__("x1") = from;
    __asm__ __volatile__(
        "bl 1f\n\t"
        "b 2f\n"
        "1:\n\t"
        "sub sp, sp, #160\n\t" /* of which 128 are the red zone (Apple) */
        "mrs x9, fpcr\n\t"
        "str x9, [sp]\n\t"
        "stp x29, x30, [sp, #16]\n\t"
        "mov x10, sp\n\t"
        "str x10, [%1]\n\t"
        "ldr x10, [%0]\n\t"
        "mov sp, x10\n\t"
        "ldr x11, [sp]\n\t"
        "cmp x9, x11\n\t"
        "b.eq 3f\n\t"
        "msr fpcr, x11\n"
        "3:\n\t"
        "ldp x29, x30, [sp, #16]\n\t"
        "add sp, sp, #160\n\t"
        "ret\n"
        "2:"
        : "+r"(a), "+r"(b)
        :
        : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
          "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4",
          "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
          "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", DFI_FIBRE_SVE "memory", "cc");
}
static uint64_t dfi_fibre_modes(void)
{
    uint64_t modes;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(modes));
    return modes;
}
enum { DFI_FIBRE_FRAME = 20, DFI_FIBRE_RETURN = 3 }; /* modes, unused, x29, x30, unused */

#else /* riscv64 */
#define DFI_FIBRE_ENTRY
#if defined(__riscv_flen)
#define DFI_FIBRE_FLOAT(text) text
#define DFI_FIBRE_FP                                                                                                  \
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "ft8", "ft9", "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", \
    "fa4", "fa5", "fa6", "fa7", "fs0", "fs1", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11",
#else
#define DFI_FIBRE_FLOAT(text)
#define DFI_FIBRE_FP
#endif
#if defined(__riscv_vector)
#define DFI_FIBRE_V                                                                                              \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", \
        "v17",                                                                                                   \
    "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
#else
#define DFI_FIBRE_V
#endif
static DFI_OWN_FRAME DFI_FIBRE_QUIET void dfi_fibre_swap(struct dfi_fibre *from, struct dfi_fibre *to)
{
    register struct dfi_fibre *a __asm__("a0") = to;
    register struct dfi_fibre *b __asm__("a1") = from;
    __asm__ __volatile__(
        "jal ra, 1f\n\t"
        "j 2f\n"
        "1:\n\t"
        "addi sp, sp, -32\n\t"
        DFI_FIBRE_FLOAT("frrm t0\n\t"
        "sd t0, 0(sp)\n\t")
        "sd s0, 8(sp)\n\t"
        "sd ra, 16(sp)\n\t"
        "sd sp, 0(%1)\n\t"
        "ld sp, 0(%0)\n\t"
        DFI_FIBRE_FLOAT("ld t1, 0(sp)\n\t"
        "beq t0, t1, 3f\n\t"
        "fsrm t1\n"
        "3:\n\t")
        "ld s0, 8(sp)\n\t"
        "ld ra, 16(sp)\n\t"
        "addi sp, sp, 32\n\t"
        "ret\n"
        "2:"
        : "+r"(a), "+r"(b)
        :
        : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5", "a6", "a7", "s1", "s2", "s3", "s4",
          "s5", "s6", "s7", "s8", "s9", "s10", "s11", DFI_FIBRE_FP DFI_FIBRE_V "memory");
}
static uint64_t dfi_fibre_modes(void)
{
    uintptr_t modes = 0;
    __asm__ __volatile__(DFI_FIBRE_FLOAT("frrm %0") : "+r"(modes));
    return modes;
}
enum { DFI_FIBRE_FRAME = 4, DFI_FIBRE_RETURN = 2 }; /* modes, s0, ra, unused */
#endif

#if defined(__x86_64__) || defined(__i386__)
static uint64_t dfi_fibre_modes(void)
{
    struct { uint32_t mxcsr; uint16_t control, nothing; } m = { 0, 0, 0 };
    uint64_t modes;
    __asm__ __volatile__(DFI_FIBRE_SSE("stmxcsr %0\n\t") "fnstcw %1" : "+m"(m.mxcsr), "=m"(m.control));
    m.mxcsr &= 0xffc0;
    memcpy(&modes, &m, sizeof modes);
    return modes;
}
#endif

/* The initial frame of a fibre, below `top`, which is a multiple of 16: DFI_FIBRE_FRAME words, of which number
 * DFI_FIBRE_RETURN is the address that dfi_fibre_swap returns to. */
static void *dfi_fibre_frame(char *top, void (*entry)(struct dfi_fibre *) DFI_FIBRE_ENTRY)
{
    uintptr_t frame[DFI_FIBRE_FRAME] = { 0 };
    frame[DFI_FIBRE_RETURN] = (uintptr_t)entry;
    return memcpy(top - sizeof frame, frame, sizeof frame);
}

/* Does the processor keep a shadow stack of return addresses? An assembler switch would fault there. */
static int dfi_fibre_shadow_stack(void)
{
    uint64_t on = 0;
#if DFI_FIBRE_SHADOW && defined(__x86_64__)
    __asm__ __volatile__("rdsspq %0" : "+r"(on)); /* a no-op without a shadow stack */
#elif DFI_FIBRE_SHADOW && defined(__i386__)
    uint32_t low = 0;
    __asm__ __volatile__("rdsspd %0" : "+r"(low));
    on = low;
#elif DFI_FIBRE_SHADOW
    register uint64_t x16 __asm__("x16") = 1;
    __asm__ __volatile__("hint #40" : "+r"(x16)); /* chkfeat: clears the bits of enabled features */
    on = !x16;
#endif
    return on != 0;
}

/* Informs ASan that the switch to f is complete. */
static DFI_FIBRE_QUIET void dfi_fibre_landed(struct dfi_fibre *f)
{
#if DFI_ASAN
    struct dfi_fibre *from = f->of->from;
    __sanitizer_finish_switch_fiber(f->fake, &from->bottom, &from->bytes);
#else
    (void)f;
#endif
}

/* Switches stacks. last: no fibre will switch back to `from`. */
static DFI_FIBRE_QUIET void dfi_fibre_jump_by_hand(struct dfi_fibre *from, struct dfi_fibre *to, int last)
{
#if DFI_ASAN
    to->of->from = from;
    to->begun = !last;
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake, to->bottom, to->bytes);
#endif
#if DFI_TSAN
    __tsan_switch_to_fiber(to->tsan, !to->of->ordered);
#endif
    (void)last;
    dfi_fibre_swap(from, to);
    dfi_fibre_landed(from);
}
#endif

#endif

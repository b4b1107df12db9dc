/* fenv.h - the modes of floating-point arithmetic that a thread has: rounding, denormals, traps
 *
 * They are those of <fenv.h> without the exception flags, in 32 bits. (The functions of <fenv.h> would need -lm.) On
 * other processors than these a body has the modes of its worker. */
#ifndef DFI_BASE_FENV_H
#define DFI_BASE_FENV_H

#include "compiler.h"

#if DFI_GNU && !defined(__TINYC__) && (defined(__x86_64__) || defined(__i386__))
#define DFI_FENV 1
/* the control word of the x87 above that of SSE, whose lowest bits are flags */
typedef uint16_t __attribute__((may_alias)) dfi_fenv_half;
#if defined(__SSE__)
#define DFI_FENV_MODES 0xffffffc0u
#else
#define DFI_FENV_MODES 0xffff0000u
#endif
DFI_INLINE void dfi_fenv_get(uint32_t *modes)
{
#if defined(__SSE__)
    __asm__ __volatile__("stmxcsr %0" : "=m"(*modes));
#else
    *modes = 0;
#endif
    __asm__ __volatile__("fnstcw %0" : "=m"(((dfi_fenv_half *)modes)[1]));
}
DFI_UNUSED static DFI_COLD void dfi_fenv_set(uint32_t modes)
{
    const uint16_t x87 = (uint16_t)(modes >> 16);
#if defined(__SSE__)
    uint32_t sse;
    __asm__ __volatile__("stmxcsr %0" : "=m"(sse));
    sse = (sse & ~(DFI_FENV_MODES & 0xffffu)) | (modes & DFI_FENV_MODES & 0xffffu);
    __asm__ __volatile__("ldmxcsr %0" : : "m"(sse) : "memory");
#endif
    __asm__ __volatile__("fldcw %0" : : "m"(x87) : "memory");
}
#elif DFI_GNU && !defined(__TINYC__) && defined(__aarch64__) && defined(__ARM_FP)
#define DFI_FENV 1
#define DFI_FENV_MODES 0xffffffffu
DFI_INLINE void dfi_fenv_get(uint32_t *modes)
{
    uint64_t x;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(x));
    *modes = (uint32_t)x;
}
DFI_UNUSED static DFI_COLD void dfi_fenv_set(uint32_t modes)
{
    __asm__ __volatile__("msr fpcr, %0" : : "r"((uint64_t)modes) : "memory");
}
#elif DFI_GNU && !defined(__TINYC__) && defined(__riscv_flen)
#define DFI_FENV 1
#define DFI_FENV_MODES 7u
DFI_INLINE void dfi_fenv_get(uint32_t *modes)
{
    unsigned long x;
    __asm__ __volatile__("frrm %0" : "=r"(x));
    *modes = (uint32_t)x;
}
DFI_UNUSED static DFI_COLD void dfi_fenv_set(uint32_t modes)
{
    __asm__ __volatile__("fsrm %0" : : "r"((unsigned long)modes) : "memory");
}
#else
#define DFI_FENV 0
#endif

#if DFI_FENV
/* Are these the modes of the calling thread? */
DFI_INLINE int dfi_fenv_is(uint32_t modes)
{
    uint32_t now;
    dfi_fenv_get(&now);
    return !((now ^ modes) & DFI_FENV_MODES);
}
/* From now on they are. Returns those before. */
DFI_UNUSED static DFI_COLD uint32_t dfi_fenv_change(uint32_t modes)
{
    uint32_t before;
    dfi_fenv_get(&before);
    if ((before ^ modes) & DFI_FENV_MODES) dfi_fenv_set(modes);
    return before;
}
#else
DFI_INLINE void dfi_fenv_get(uint32_t *modes) { (void)modes; }
DFI_INLINE int dfi_fenv_is(uint32_t modes) { return (void)modes, 1; }
DFI_INLINE uint32_t dfi_fenv_change(uint32_t modes) { return modes; }
#endif

#endif

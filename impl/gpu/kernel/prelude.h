/* prelude.h - the definitions in front of a kernel's text, in OpenCL C 1.2 and in CUDA C++
 *
 * 1. The language of kernels is C with the words of df_gpu.h. The languages of devices differ: they have more words
 *    than C, which are ordinary names in a kernel (local, kernel, dot, float4; class, new, and), and other meanings
 *    for some words of C. Every such name is written as dfi_NAME in the device's text, and names of the C library are
 *    defined as themselves: dfi_sqrt is the sqrt of C.
 * 2. As in C, sqrt(x) is computed in double for any x, and sqrtf(x) in float: results are those of the host, up to the
 *    last bits where <math.h> itself allows differences. A device without double computes both in float.
 * 3. DF_GPU_EXACT: multiplication and addition are not fused (OpenCL by pragma, NVRTC by --fmad=false).
 * 4. Only the definitions that a kernel uses are in its text. */
#ifndef DFI_GPU_KERNEL_PRELUDE_H
#define DFI_GPU_KERNEL_PRELUDE_H

#include <stddef.h>

#ifndef DF_GPU_EXACT
#define DF_GPU_EXACT 0
#endif

enum dfi_language { DFI_OPENCL_C, DFI_CUDA_C };

static const char dfi_prelude_opencl[] =
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "typedef double dfi_real;\n"
    "#else\n"
    "typedef float dfi_real;\n"
    "#endif\n"
    "#define DFI_FN static inline\n"
    "#define DFI_MANY static inline __attribute__((overloadable))\n"
    "#define df_on_global __global\n"
    "#define df_on_shared __local\n"
    "#define df_shared(T, name, n) __local T name[n]\n"
    "#define df_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n"
    "#define df_global_id(d) ((int)get_global_id(d))\n"
    "#define df_local_id(d) ((int)get_local_id(d))\n"
    "#define df_workgroup_id(d) ((int)get_group_id(d))\n"
    "#define df_workgroup_size(d) ((int)get_local_size(d))\n"
    "#define df_workgroups(d) ((int)get_num_groups(d))\n"
    "#define df_global_size(d) ((int)get_global_size(d))\n";

static const char dfi_prelude_cuda[] =
    "typedef double dfi_real;\n"
    "#define DFI_FN static __device__ __forceinline__\n"
    "#define DFI_MANY static __device__ __forceinline__\n"
    "#define df_on_global\n"
    "#define df_on_shared\n"
    "#define df_shared(T, name, n) __shared__ T name[n]\n"
    "#define df_barrier() __syncthreads()\n"
    "#define DFI_PICK(d, v) ((d) == 0 ? (int)v.x : (d) == 1 ? (int)v.y : (int)v.z)\n"
    "#define df_local_id(d) DFI_PICK(d, threadIdx)\n"
    "#define df_workgroup_id(d) DFI_PICK(d, blockIdx)\n"
    "#define df_workgroup_size(d) DFI_PICK(d, blockDim)\n"
    "#define df_workgroups(d) DFI_PICK(d, gridDim)\n"
    "#define df_global_id(d) (df_workgroup_id(d) * df_workgroup_size(d) + df_local_id(d))\n"
    "#define df_global_size(d) (df_workgroups(d) * df_workgroup_size(d))\n";

/* Names of version 0.1 (api/deprecated.h). */
static const char dfi_prelude_deprecated[] =
    "#define df_global df_on_global\n"
    "#define df_group_id df_workgroup_id\n"
    "#define df_group_size df_workgroup_size\n"
    "#define df_groups df_workgroups\n";

/* The atomics. S: the space, T: the type. Float: as the bits of an unsigned, by compare and exchange, until no other
 * item interferes; min and max stop when there is nothing to change. */
static const char dfi_prelude_atomic_opencl[] =
    "#define DFI_ATOMIC_1(S, T, word, op) \\\n"
    "    DFI_MANY T df_atomic_##word(volatile S T *p, T v) { return atomic_##op(p, v); }\n"
    "#define DFI_ATOMIC_2(S, T) \\\n"
    "    DFI_ATOMIC_1(S, T, add, add) DFI_ATOMIC_1(S, T, min, min) DFI_ATOMIC_1(S, T, max, max) \\\n"
    "    DFI_ATOMIC_1(S, T, exchange, xchg) \\\n"
    "    DFI_MANY T df_atomic_cas(volatile S T *p, T old, T v) { return atomic_cmpxchg(p, old, v); }\n"
    "#define DFI_ATOMIC_3(S, word, go, f) \\\n"
    "    DFI_MANY float df_atomic_##word(volatile S float *p, float v) \\\n"
    "    { \\\n"
    "        unsigned now = as_uint(*p), was; \\\n"
    "        do { \\\n"
    "            float x = as_float(now); \\\n"
    "            was = now; \\\n"
    "            if (!(go)) break; \\\n"
    "            now = atomic_cmpxchg((volatile S unsigned *)p, was, as_uint((float)(f))); \\\n"
    "        } while (now != was); \\\n"
    "        return as_float(was); \\\n"
    "    }\n"
    "#define DFI_ATOMIC_4(S) \\\n"
    "    DFI_ATOMIC_2(S, int) DFI_ATOMIC_2(S, unsigned) DFI_ATOMIC_1(S, float, exchange, xchg) \\\n"
    "    DFI_ATOMIC_3(S, add, 1, x + v) DFI_ATOMIC_3(S, min, v < x, v) DFI_ATOMIC_3(S, max, x < v, v)\n"
    "DFI_ATOMIC_4(__global)\n"
    "DFI_ATOMIC_4(__local)\n";

static const char dfi_prelude_atomic_cuda[] =
    "#define DFI_ATOMIC_1(T, word, op) DFI_MANY T df_atomic_##word(T *p, T v) { return op(p, v); }\n"
    "#define DFI_ATOMIC_2(T) \\\n"
    "    DFI_ATOMIC_1(T, add, atomicAdd) DFI_ATOMIC_1(T, min, atomicMin) DFI_ATOMIC_1(T, max, atomicMax) \\\n"
    "    DFI_ATOMIC_1(T, exchange, atomicExch) \\\n"
    "    DFI_MANY T df_atomic_cas(T *p, T old, T v) { return atomicCAS(p, old, v); }\n"
    "#define DFI_ATOMIC_3(word, go) \\\n"
    "    DFI_MANY float df_atomic_##word(float *p, float v) \\\n"
    "    { \\\n"
    "        int now = __float_as_int(*(volatile float *)p), was; \\\n"
    "        do { \\\n"
    "            float x = __int_as_float(now); \\\n"
    "            was = now; \\\n"
    "            if (!(go)) break; \\\n"
    "            now = atomicCAS((int *)p, was, __float_as_int(v)); \\\n"
    "        } while (now != was); \\\n"
    "        return __int_as_float(was); \\\n"
    "    }\n"
    "DFI_ATOMIC_2(int)\n"
    "DFI_ATOMIC_2(unsigned)\n"
    "DFI_ATOMIC_1(float, add, atomicAdd)\n"
    "DFI_ATOMIC_1(float, exchange, atomicExch)\n"
    "DFI_ATOMIC_3(min, v < x)\n"
    "DFI_ATOMIC_3(max, x < v)\n";

/* Names of C that are types or constants, and what they are. Sizes are the host's: a size_t in memory is as long there.
 * NULL: the language has the name, with this meaning. */
struct dfi_named { const char *name, *opencl, *cuda; };
#define DFI_BY_SIZE(T, four, eight) (sizeof(T) == 4 ? (four) : (eight))
#define DFI_SIGNED_MAX(T)   DFI_BY_SIZE(T, "2147483647", "9223372036854775807L")
#define DFI_SIGNED_MIN(T)   DFI_BY_SIZE(T, "(-2147483647 - 1)", "(-9223372036854775807L - 1)")
#define DFI_UNSIGNED_MAX(T) DFI_BY_SIZE(T, "4294967295u", "18446744073709551615UL")
#define DFI_TYPES_OF_C(X)                                                                                      \
    X("int8_t", "signed char", "signed char") X("uint8_t", "uchar", "unsigned char")                           \
    X("int16_t", "short", "short") X("uint16_t", "ushort", "unsigned short")                                   \
    X("int32_t", "int", "int") X("uint32_t", "uint", "unsigned")                                               \
    X("int64_t", "long", "long long") X("uint64_t", "ulong", "unsigned long long")                             \
    X("size_t", DFI_BY_SIZE(size_t, "uint", "ulong"), DFI_BY_SIZE(size_t, "unsigned", "unsigned long long"))   \
    X("uintptr_t", DFI_BY_SIZE(size_t, "uint", "ulong"), DFI_BY_SIZE(size_t, "unsigned", "unsigned long long")) \
    X("ptrdiff_t", DFI_BY_SIZE(size_t, "int", "long"), DFI_BY_SIZE(size_t, "int", "long long"))                \
    X("intptr_t", DFI_BY_SIZE(size_t, "int", "long"), DFI_BY_SIZE(size_t, "int", "long long"))                 \
    X("uint", "unsigned", "unsigned") X("ushort", "unsigned short", "unsigned short")                          \
    X("ulong", DFI_BY_SIZE(long, "unsigned", "unsigned long"), "unsigned long") X("_Bool", "bool", "bool")
#define DFI_CONSTANTS_OF_C(X)                                                                                         \
    X("CHAR_BIT", "8", "8") X("SCHAR_MIN", "(-128)", "(-128)") X("SCHAR_MAX", "127", "127") X("UCHAR_MAX", "255",     \
        "255")                                                                                                        \
    X("SHRT_MIN", "(-32768)", "(-32768)") X("SHRT_MAX", "32767", "32767") X("USHRT_MAX", "65535", "65535")            \
    X("INT_MIN", DFI_SIGNED_MIN(int), DFI_SIGNED_MIN(int)) X("INT_MAX", DFI_SIGNED_MAX(int), DFI_SIGNED_MAX(int))     \
    X("UINT_MAX", "4294967295u", "4294967295u")                                                                       \
    X("LONG_MIN", DFI_SIGNED_MIN(long), DFI_SIGNED_MIN(long)) X("LONG_MAX", DFI_SIGNED_MAX(long),                     \
                                                                DFI_SIGNED_MAX(long))                                 \
    X("ULONG_MAX", DFI_UNSIGNED_MAX(long), DFI_UNSIGNED_MAX(long))                                                    \
    X("LLONG_MIN", DFI_SIGNED_MIN(long long), DFI_SIGNED_MIN(long long))                                              \
    X("LLONG_MAX", DFI_SIGNED_MAX(long long), DFI_SIGNED_MAX(long long))                                              \
    X("ULLONG_MAX", DFI_UNSIGNED_MAX(long long), DFI_UNSIGNED_MAX(long long))                                         \
    X("INT8_MIN", "(-128)", "(-128)") X("INT8_MAX", "127", "127") X("UINT8_MAX", "255", "255")                        \
    X("INT16_MIN", "(-32768)", "(-32768)") X("INT16_MAX", "32767", "32767") X("UINT16_MAX", "65535", "65535")         \
    X("INT32_MIN", DFI_SIGNED_MIN(int), DFI_SIGNED_MIN(int)) X("INT32_MAX", DFI_SIGNED_MAX(int), DFI_SIGNED_MAX(int)) \
    X("UINT32_MAX", "4294967295u", "4294967295u")                                                                     \
    X("INT64_MIN", DFI_SIGNED_MIN(int64_t), DFI_SIGNED_MIN(int64_t))                                                  \
    X("INT64_MAX", DFI_SIGNED_MAX(int64_t), DFI_SIGNED_MAX(int64_t))                                                  \
    X("UINT64_MAX", DFI_UNSIGNED_MAX(int64_t), DFI_UNSIGNED_MAX(int64_t))                                             \
    X("SIZE_MAX", DFI_UNSIGNED_MAX(size_t), DFI_UNSIGNED_MAX(size_t))                                                 \
    X("FLT_MAX", "0x1.fffffep127f", "0x1.fffffep127f") X("FLT_MIN", "0x1p-126f", "0x1p-126f")                         \
    X("FLT_EPSILON", "0x1p-23f", "0x1p-23f") X("DBL_MAX", "0x1.fffffffffffffp1023", "0x1.fffffffffffffp1023")         \
    X("DBL_MIN", "0x1p-1022", "0x1p-1022") X("DBL_EPSILON", "0x1p-52", "0x1p-52")                                     \
    X("INFINITY", "INFINITY", "__int_as_float(0x7f800000)") X("NAN", "NAN", "__int_as_float(0x7fc00000)")             \
    X("HUGE_VALF", "HUGE_VALF", "__int_as_float(0x7f800000)")                                                         \
    X("HUGE_VAL", "((dfi_real)HUGE_VALF)", "((double)__int_as_float(0x7f800000))")                                    \
    X("M_E", "2.7182818284590452354", "2.7182818284590452354") X("M_LOG2E", "1.4426950408889634074",                  \
                                                                 "1.4426950408889634074")                             \
    X("M_LOG10E", "0.43429448190325182765", "0.43429448190325182765")                                                 \
    X("M_LN2", "0.69314718055994530942", "0.69314718055994530942")                                                    \
    X("M_LN10", "2.30258509299404568402", "2.30258509299404568402")                                                   \
    X("M_PI", "3.14159265358979323846", "3.14159265358979323846")                                                     \
    X("M_PI_2", "1.57079632679489661923", "1.57079632679489661923")                                                   \
    X("M_PI_4", "0.78539816339744830962", "0.78539816339744830962")                                                   \
    X("M_1_PI", "0.31830988618379067154", "0.31830988618379067154")                                                   \
    X("M_2_PI", "0.63661977236758134308", "0.63661977236758134308")                                                   \
    X("M_2_SQRTPI", "1.12837916709551257390", "1.12837916709551257390")                                               \
    X("M_SQRT2", "1.41421356237309504880", "1.41421356237309504880")                                                  \
    X("M_SQRT1_2", "0.70710678118654752440", "0.70710678118654752440")                                                \
    X("restrict", NULL, "__restrict__") X("NULL", NULL, "0") X("_Static_assert", NULL, "static_assert")
#define DFI_NAMED_ROW(name, opencl, cuda) { name, opencl, cuda },

/* The functions of <math.h> and <stdlib.h>, each with its shape: $ is the real type, # the name with its suffix, @
 * what the language calls it, which is `opencl` there unless that is NULL. Those with suffix 0 have no form for
 * float. */
struct dfi_function { const char *name, *opencl; int suffix; const char *shape; };
#define DFI_SHAPE_X   "$ dfi_#($ x) { return @(x); }"
#define DFI_SHAPE_XX  "$ dfi_#($ x, $ y) { return @(x, y); }"
#define DFI_SHAPE_XXX "$ dfi_#($ x, $ y, $ z) { return @(x, y, z); }"
#define DFI_SHAPE_XI  "$ dfi_#($ x, int n) { return @(x, n); }"
#define DFI_SHAPE_I   "int dfi_#($ x) { return @(x); }"
#define DFI_SHAPE_IS  "int dfi_#($ x) { return @(x) != 0; }"
#define DFI_SHAPE_L   "dfi_long dfi_#($ x) { return (dfi_long)@(x); }"
#define DFI_FUNCTIONS_1(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) \
    X(exp) X(exp2) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(rint) \
    X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define DFI_FUNCTIONS_2(X) \
    X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
#define DFI_FUNCTION_ROW_1(f) { #f, NULL, 1, DFI_SHAPE_X },
#define DFI_FUNCTION_ROW_2(f) { #f, NULL, 1, DFI_SHAPE_XX },
#define DFI_FUNCTION_ROW_IS(f) { #f, NULL, 0, DFI_SHAPE_IS },
static const struct dfi_function dfi_functions[] = {
    DFI_FUNCTIONS_1(DFI_FUNCTION_ROW_1)
    DFI_FUNCTIONS_2(DFI_FUNCTION_ROW_2)
    { "nearbyint", "rint", 1, DFI_SHAPE_X },
    { "fma", NULL, 1, DFI_SHAPE_XXX },
    { "ldexp", NULL, 1, DFI_SHAPE_XI },
    { "scalbn", "ldexp", 1, DFI_SHAPE_XI },
    { "ilogb", NULL, 1, DFI_SHAPE_I },
    { "lrint", "rint", 1, DFI_SHAPE_L },
    { "lround", "round", 1, DFI_SHAPE_L },
    { "frexp", NULL, 1, "$ dfi_#($ x, int *n) { return @(x, n); }" },
    { "modf", NULL, 1, "$ dfi_#($ x, $ *n) { return @(x, n); }" },
    DFI_FUNCTION_ROW_IS(isnan) DFI_FUNCTION_ROW_IS(isinf) DFI_FUNCTION_ROW_IS(isfinite)
    DFI_FUNCTION_ROW_IS(signbit)
    { "abs", NULL, 0, "int dfi_abs(int x) { return x < 0 ? -x : x; }" },
    { "labs", NULL, 0, "dfi_long dfi_labs(dfi_long x) { return x < 0 ? -x : x; }" },
    { "llabs", NULL, 0, "dfi_long_long dfi_llabs(dfi_long_long x) { return x < 0 ? -x : x; }" }
};

/* Words of the languages that are no words of C: names like any other in a kernel. Vector types are found by their
 * form. */
static const char dfi_words_opencl[] =
    " global local constant private kernel generic pipe uniform read_only write_only read_write half quad complex"
    " imaginary uchar image1d_t image2d_t image3d_t sampler_t event_t queue_t barrier mem_fence read_mem_fence"
    " write_mem_fence work_group_barrier prefetch async_work_group_copy wait_group_events get_work_dim"
    " get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset"
    " atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and"
    " atomic_or atomic_xor atom_add atom_sub atom_xchg atom_inc atom_dec atom_cmpxchg atom_min atom_max clamp"
    " degrees max min mix radians step smoothstep sign cross dot distance length normalize fast_distance"
    " fast_length fast_normalize abs_diff add_sat hadd rhadd clz mad_hi mad_sat mul_hi rotate sub_sat upsample"
    " popcount mad24 mul24 acospi asinpi atanpi atan2pi cospi sinpi tanpi exp10 fract lgamma_r mad maxmag minmag"
    " nan pown powr rootn rsqrt sincos isequal isnotequal isordered isunordered any all bitselect select shuffle"
    " shuffle2 vec_step event ";
static const char dfi_words_cuda[] =
    " alignas alignof and and_eq asm bitand bitor catch char8_t char16_t char32_t class compl concept consteval"
    " constexpr constinit const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export"
    " friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public"
    " reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid typename"
    " using virtual wchar_t xor xor_eq uchar threadIdx blockIdx blockDim gridDim warpSize dim3 min max umin umax"
    " llmin llmax ullmin ullmax clock clock64 atomicAdd atomicSub atomicExch atomicMin atomicMax atomicCAS"
    " atomicAnd atomicOr atomicXor norm norm3d norm4d rnorm rhypot rsqrt rcbrt sinpi cospi exp10 erfinv erfcinv"
    " erfcx normcdf normcdfinv sincos sincospi mulhi mul24 saturate std int_as_float float_as_int ";

#endif

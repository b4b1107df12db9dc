/* kernel.h - what CUDA C++ has and C++ has not, for kernels that the double runs
 *
 * The items of a group run one after another, until one comes to __syncthreads: from then on each has a stack of its
 * own. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __constant__ const
#define __shared__ thread_local
#define __forceinline__ inline
#define __launch_bounds__(...)

struct cuda_double_place { unsigned x, y, z; };
static thread_local cuda_double_place threadIdx, blockIdx, blockDim, gridDim;

/* --- barriers -------------------------------------------------------------------------------------------- */

enum { CUDA_DOUBLE_STACK = 64 << 10 };
struct cuda_double_fibre { ucontext_t context; cuda_double_place place; bool waits; };
/* A group as it runs: in the thread of its stream. */
struct cuda_double_group {
    void (*item)(void *);
    void *values;
    unsigned n, next, fibres;             /* items; begun; stacks in use */
    cuda_double_fibre *fibre, *current;
    char *stacks;
    ucontext_t scheduler;
};
static thread_local cuda_double_group *cuda_double_now;

/* What runs on a stack: items, until there are no more. */
static void cuda_double_items()
{
    cuda_double_group *g = cuda_double_now;
    while (g->next < g->n) {
        unsigned i = g->next++;
        threadIdx = { i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y };
        g->item(g->values);
    }
    for (;;) {
        g->current->waits = false;
        swapcontext(&g->current->context, &g->scheduler);
    }
}
static void __syncthreads()
{
    cuda_double_group *g = cuda_double_now;
    cuda_double_fibre *f = g->current;
    f->waits = true, f->place = threadIdx;
    swapcontext(&f->context, &g->scheduler);
    threadIdx = f->place;
}

/* The items of one group. -1: some ended while others wait in a barrier. */
static int cuda_double_run_group(cuda_double_group *g)
{
    unsigned waiting, i;
    g->next = g->fibres = 0;
    do {
        cuda_double_fibre *f = &g->fibre[g->fibres];
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = g->stacks + (size_t)g->fibres * CUDA_DOUBLE_STACK;
        f->context.uc_stack.ss_size = CUDA_DOUBLE_STACK;
        f->context.uc_link = 0;
        makecontext(&f->context, cuda_double_items, 0);
        g->fibres++;
        g->current = f;
        swapcontext(&g->scheduler, &f->context);
    } while (g->next < g->n);
    for (;;) {
        for (waiting = i = 0; i < g->fibres; i++) waiting += g->fibre[i].waits;
        if (!waiting) return 0;
        if (waiting != g->n) return -1;
        for (i = 0; i < g->fibres; i++) g->current = &g->fibre[i], swapcontext(&g->scheduler, &g->fibre[i].context);
    }
}

static int cuda_double_run(void (*item)(void *), void *values, const unsigned *groups, const unsigned *group)
{
    cuda_double_group g = {};
    int result = 0;
    g.item = item, g.values = values, g.n = group[0] * group[1] * group[2];
    g.stacks = (char *)mmap(0, (size_t)g.n * CUDA_DOUBLE_STACK, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g.stacks == (char *)MAP_FAILED) return -1;
    g.fibre = new cuda_double_fibre[g.n];
    cuda_double_now = &g;
    blockDim = { group[0], group[1], group[2] }, gridDim = { groups[0], groups[1], groups[2] };
    for (unsigned z = 0; z < groups[2]; z++)
        for (unsigned y = 0; y < groups[1]; y++)
            for (unsigned x = 0; x < groups[0]; x++) {
                blockIdx = { x, y, z };
                if (!result) result = cuda_double_run_group(&g);
            }
    cuda_double_now = 0;
    delete[] g.fibre;
    munmap(g.stacks, (size_t)g.n * CUDA_DOUBLE_STACK);
    return result;
}

/* --- from values to arguments ---------------------------------------------------------------------------- */

struct cuda_double_kernel {
    int n, max_threads;
    const unsigned *bytes;
    const unsigned char *is_pointer;
    int (*run)(void **values, const unsigned *groups, const unsigned *group, unsigned shared);
};
template <class T> struct cuda_double_pointer { enum { is = 0 }; };
template <class T> struct cuda_double_pointer<T *> { enum { is = 1 }; };
template <int... i> struct cuda_double_indices {};
template <int n, int... i> struct cuda_double_upto : cuda_double_upto<n - 1, n - 1, i...> {};
template <int... i> struct cuda_double_upto<0, i...> { typedef cuda_double_indices<i...> all; };

template <class F, F *f> struct cuda_double_of;
template <class... A, void (*f)(A...)> struct cuda_double_of<void(A...), f> {
    template <int... i> static void call(void **values, cuda_double_indices<i...>) { f(*(A *)values[i]...);
                                                                                     (void)values; }
    static void item(void *values) { call((void **)values, typename cuda_double_upto<sizeof...(A)>::all()); }
    static int run(void **values, const unsigned *groups, const unsigned *group, unsigned)
    {
        return cuda_double_run(item, values, groups, group);
    }
};
template <class... A> struct cuda_double_table {
    static const unsigned *bytes() { static const unsigned all[] = { sizeof(A)..., 0 }; return all; }
    static const unsigned char *pointers()
    {
        static const unsigned char all[] = { cuda_double_pointer<A>::is..., 0 }; return all;
    }
};
template <class... A> cuda_double_kernel cuda_double_fill(void (*)(A...), int max_threads)
{
    return { (int)sizeof...(A), max_threads, cuda_double_table<A...>::bytes(), cuda_double_table<A...>::pointers(), 0 };
}
template <class F, F *f> cuda_double_kernel cuda_double_make(int max_threads)
{
    cuda_double_kernel k = cuda_double_fill(f, max_threads);
    k.run = cuda_double_of<F, f>::run;
    return k;
}

/* --- functions -------------------------------------------------------------------------------------------- */

static inline int __float_as_int(float x) { int i; memcpy(&i, &x, sizeof i); return i; }
static inline float __int_as_float(int i) { float x; memcpy(&x, &i, sizeof x); return x; }

template <class T> static T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <class T> static T atomicExch(T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
template <class T> static T atomicCAS(T *p, T old, T v)
{
    __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
}
template <class T> static T atomicMin(T *p, T v)
{
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
template <class T> static T atomicMax(T *p, T v)
{
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (old < v && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
static float atomicExch(float *p, float v) { return __int_as_float(atomicExch((int *)p, __float_as_int(v))); }
static float atomicAdd(float *p, float v)
{
    int old = __atomic_load_n((int *)p, __ATOMIC_RELAXED), was;
    do {
        was = old;
        old = atomicCAS((int *)p, was, __float_as_int(__int_as_float(was) + v));
    } while (old != was);
    return __int_as_float(old);
}

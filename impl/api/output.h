/* output.h - outputs: inputs of nodes as values that can be passed on, >>nodes
 *
 *   df_output(T) *o = df_node_output(name, n, param);   the input `param` of node n as a value. T is the type of the
 *             parameter (const double * for df_in(double, x, n)), and all that a function or task that gets o has to
 *             know of the node. df_output(T) is a type without objects, for pointers alone; in C++, a T with a comma
 *             needs a typedef. NULL if n is NULL.
 *             Cost: an addition; no memory.
 *   df_give(o, value);        gives the input its value, as df_node_set does: converted to T and copied. With the last
 *             input the node may start, and its outputs must not be used any more. NULL for o: no effect. A value that
 *             does not convert to T does not compile.
 *             Errors: giving an input twice, by either call, is reported with its line and has no effect.
 *
 *     A continuation: each fib gives its number to whatever waits for it.
 *
 *         DF_TASK(void, add, (long, a), (long, b), (df_output(long) *, to));
 *         void add(long a, long b, df_output(long) *to) { df_give(to, a + b); }
 *         DF_TASK(void, fib, (int, n), (df_output(long) *, to));
 *         void fib(int n, df_output(long) *to)
 *         {
 *             if (n < 2) df_give(to, n);
 *             else {
 *                 df_node(add) *sum = df_node_new(add);
 *                 df_submit(fib, n - 1, df_node_output(add, sum, a));
 *                 df_submit(fib, n - 2, df_node_output(add, sum, b));
 *                 df_node_set(add, sum, to, to);
 *             }
 *         }
 *
 *     Each input is given once, by df_node_set or by df_give. If no task gives an output, df reports it as a missing
 *     input of its node.
 *     A compiler without __typeof__: df_node_output is a void *, and value is a variable of type T. */
#ifndef DFI_API_OUTPUT_H
#define DFI_API_OUTPUT_H

#include "../base/compiler.h"
#include "element.h"
#include "may_block.h"
#include "need.h"
#include "task.h"
#include "value.h"

DFI_EXTERN_C_BEGIN
/* NULL for NULL. */
DFI_API void *dfi_node_output(struct dfi_task *dfi_n, int input);
/* Where the value goes, for the caller to store it before dfi_give_end; NULL: nowhere. */
DFI_API void *dfi_give_begin(const volatile void *dfi_o, const char *site);
DFI_API void dfi_give_end(const volatile void *dfi_o);
DFI_EXTERN_C_END

#define df_node_output(name, node, param) \
    DFI_NODE_OUTPUT(name, node, param, DFI_CAT(DFI_CAT(name, _dfi_at_), param))
#define df_give(output, value) DFI_MAY_BLOCK(DFI_NEEDING(more, DFI_GIVE(output, value)))

#if defined(__cplusplus)

DFI_CXX_BEGIN
template <class dfi_t> struct dfi_output_of;
template <class dfi_t> struct dfi_itself { typedef dfi_t type; };
/* The setter of the parameter has its type. */
template <class dfi_n, class dfi_t>
inline dfi_output_of<dfi_t> *dfi_node_output_by(void (*)(dfi_n *, dfi_t, const char *),
                                                typename dfi_itself<dfi_n>::type *dfi_p, int input)
{
    return (dfi_output_of<dfi_t> *)dfi_node_output((struct dfi_task *)(void *)dfi_p, input);
}

template <class dfi_t>
inline void dfi_give(dfi_output_of<dfi_t> *dfi_o, typename dfi_itself<dfi_t>::type dfi_v, const char *site)
{
    void *to = dfi_give_begin((const volatile void *)dfi_o, site);
    if (!to) return;
    dfi_value<dfi_t>::put(to, dfi_v);
    dfi_give_end((const volatile void *)dfi_o);
}
DFI_CXX_END
#define df_output(T) dfi_output_of<T>
#define DFI_NODE_OUTPUT(name, node, param, input) \
    dfi_node_output_by(DFI_OF(DFI_CAT(name, _dfi_set_), param), (node), input)
#define DFI_GIVE(output, value) dfi_give((output), (value), DFI_SITE)

#else

DFI_UNUSED static void dfi_give(const volatile void *dfi_o, const void *dfi_v, size_t bytes, const char *site)
{
    void *to = dfi_give_begin(dfi_o, site);
    if (!to) return;
    memcpy(to, dfi_v, bytes);
    dfi_give_end(dfi_o);
}

#if defined(DFI_GENERIC)
#define DFI_NODE_CHECKED(name, node) (struct dfi_task *)(void *)DFI_GENERIC((node), df_node(name) *: (node))
#else
#define DFI_NODE_CHECKED(name, node) (struct dfi_task *)(void *)(1 ? (node) : (df_node(name) *)0)
#endif
#if DFI_GNU || defined(__TINYC__)
#define df_output(T) __typeof__(__typeof__(T) *const volatile *const volatile)
/* The comma makes the type that of a value, which is not const. */
#define DFI_NODE_OUTPUT(name, node, param, input)                                    \
    ((df_output(((void)0, ((struct DFI_CAT(name, _dfi_args) *)NULL)->param)) *)      \
     dfi_node_output(DFI_NODE_CHECKED(name, node), input))
/* The array converts the value as an assignment does, but a number to a struct, which would be its first member: the
 * assignment is for the compiler only. */
#define DFI_GIVE(output, value) \
    dfi_give((output), (__typeof__(***(output))[1]){ (value) }, sizeof(***(output) = (value)), DFI_SITE)
#else
#define df_output(T) T *const volatile *const volatile
#define DFI_NODE_OUTPUT(name, node, param, input) dfi_node_output(DFI_NODE_CHECKED(name, node), input)
#define DFI_GIVE(output, value) \
    dfi_give((output), (1 ? &(value) : &***(output)), sizeof(***(output)), DFI_SITE)
#endif

#endif

#endif

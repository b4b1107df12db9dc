/* throw_wait.h - C++ exceptions rethrown by df_wait, DF_PARALLEL and df_parallel */
#ifndef DFI_API_THROW_WAIT_H
#define DFI_API_THROW_WAIT_H

#include "throw.h"
#include "core.h"
#include "need.h"

#if DFI_EXCEPTIONS

/* A DF_PARALLEL block. If a jump or an exception of its own code leaves the block, it waits, and an exception of its
 * tasks propagates to the enclosing scope. */
struct dfi_block_around {
    struct dfi_parallel_block b;
    explicit dfi_block_around(const char *site) : b(dfi_scope_enter(site)) { dfi_needs_dataflow(); }
    ~dfi_block_around() { dfi_scope_leave(&b); }
    void end() { DFI_RETHROWS(dfi_scope_leave_catching(&b, &dfi_thrown)); }
private:
    dfi_block_around(const dfi_block_around &);
    dfi_block_around &operator=(const dfi_block_around &);
};
#define DF_PARALLEL                                                                                  \
    for (dfi_block_around DFI_CAT(dfi_b_, __LINE__)(DFI_SITE); DFI_CAT(dfi_b_, __LINE__).b.open;     \
         DFI_CAT(dfi_b_, __LINE__).end())

inline void dfi_parallel(void (*fn)(void *arg), void *arg) { DF_PARALLEL fn(arg); }
#define df_parallel(...) dfi_parallel(__VA_ARGS__)

#if defined(DF_SERIAL)
inline void dfi_wait_throwing() { df_wait(); dfi_wait_threw(); }
#define df_wait() dfi_wait_throwing()
#else
inline void dfi_wait_throwing(const char *site)
{
    dfi_needs_dataflow();
    dfi_wait_here(site);
    dfi_wait_threw();
}
#undef df_wait
#define df_wait() dfi_wait_throwing(DFI_SITE)
#endif

#endif
#endif

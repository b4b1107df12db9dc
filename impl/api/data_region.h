/* data_region.h - the blocks DF_DATA_REGION and DF_DATA_REGION_ASYNC
 *
 * In C the list of data is a compound literal, which lives as long as the block. C++ has none, and a temporary would
 * end before the block begins: there an outer `for`, of one turn, declares the list. */
#ifndef DFI_API_DATA_REGION_H
#define DFI_API_DATA_REGION_H

#include "../base/compiler.h"
#include "../base/pp.h"
#include "core.h"
#include "throw.h"
#include "throw_wait.h"

struct df_data;
struct dfi_region_block { struct dfi_parallel_block scope; const struct df_data *data; int open; };
struct dfi_async_block { const struct df_data *data; const char *site; int index, open; };

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_region_block dfi_region_enter(const char *site, const struct df_data *data);
/* x: receives an exception of the tasks of the block; NULL: the exception goes to the scope around it. */
DFI_API void dfi_region_leave_catching(struct dfi_region_block *b, struct dfi_exception *x);
DFI_API void dfi_region_leave(struct dfi_region_block *b);
DFI_API struct dfi_async_block dfi_async_enter(const char *site, int index, const struct df_data *data);
DFI_API void dfi_async_leave(struct dfi_async_block *b);
DFI_EXTERN_C_END

#define DFI_DATA_END { NULL, 0, 0, NULL }

#if defined(__cplusplus)

/* Left by a jump or an exception of its own code, they end as at the closing brace. */
struct dfi_region_around {
    dfi_region_block b;
    dfi_region_around(const char *site, const df_data *data) : b(dfi_region_enter(site, data)) { }
    ~dfi_region_around() { dfi_region_leave(&b); }
#if DFI_EXCEPTIONS
    void end() { DFI_RETHROWS(dfi_region_leave_catching(&b, &dfi_thrown)); }
#else
    void end() { dfi_region_leave(&b); }
#endif
private:
    dfi_region_around(const dfi_region_around &);
    dfi_region_around &operator=(const dfi_region_around &);
};
struct dfi_async_around {
    dfi_async_block b;
    dfi_async_around(const char *site, int index, const df_data *data) : b(dfi_async_enter(site, index, data)) { }
    ~dfi_async_around() { dfi_async_leave(&b); }
    void end() { dfi_async_leave(&b); }
private:
    dfi_async_around(const dfi_async_around &);
    dfi_async_around &operator=(const dfi_async_around &);
};
#define DFI_WITH_DATA(...)                                                                                   \
    for (const df_data DFI_CAT(dfi_d_, __LINE__)[] = { __VA_ARGS__, DFI_DATA_END },                          \
         *DFI_CAT(dfi_e_, __LINE__) = DFI_CAT(dfi_d_, __LINE__);                                             \
         DFI_CAT(dfi_e_, __LINE__); DFI_CAT(dfi_e_, __LINE__) = NULL)
#define DF_DATA_REGION(...)                                                                                  \
    DFI_WITH_DATA(__VA_ARGS__)                                                                               \
    for (dfi_region_around DFI_CAT(dfi_b_, __LINE__)(DFI_SITE, DFI_CAT(dfi_d_, __LINE__));                   \
         DFI_CAT(dfi_b_, __LINE__).b.open; DFI_CAT(dfi_b_, __LINE__).end())
#define DF_DATA_REGION_ASYNC(index, ...)                                                                     \
    DFI_WITH_DATA(__VA_ARGS__)                                                                               \
    for (dfi_async_around DFI_CAT(dfi_b_, __LINE__)(DFI_SITE, (index), DFI_CAT(dfi_d_, __LINE__));           \
         DFI_CAT(dfi_b_, __LINE__).b.open; DFI_CAT(dfi_b_, __LINE__).end())

#else

#if DFI_GNU
#define DFI_AT_END_OF_REGION __attribute__((cleanup(dfi_region_leave)))
#define DFI_AT_END_OF_ASYNC __attribute__((cleanup(dfi_async_leave)))
#else
#define DFI_AT_END_OF_REGION
#define DFI_AT_END_OF_ASYNC
#endif
#define DFI_DATA_LIST(...) ((const df_data[]){ __VA_ARGS__, DFI_DATA_END })
#define DF_DATA_REGION(...)                                                                                  \
    for (DFI_AT_END_OF_REGION struct dfi_region_block DFI_CAT(dfi_b_, __LINE__) =                            \
             dfi_region_enter(DFI_SITE, DFI_DATA_LIST(__VA_ARGS__));                                         \
         DFI_CAT(dfi_b_, __LINE__).open; dfi_region_leave(&DFI_CAT(dfi_b_, __LINE__)))
#define DF_DATA_REGION_ASYNC(index, ...)                                                                     \
    for (DFI_AT_END_OF_ASYNC struct dfi_async_block DFI_CAT(dfi_b_, __LINE__) =                              \
             dfi_async_enter(DFI_SITE, (index), DFI_DATA_LIST(__VA_ARGS__));                                 \
         DFI_CAT(dfi_b_, __LINE__).open; dfi_async_leave(&DFI_CAT(dfi_b_, __LINE__)))

#endif

#endif

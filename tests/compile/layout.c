/* layout.c - structures of df have one layout, whatever alignment the program has set
 *
 * -DPACKED: the headers and a declaration stand in the range of a #pragma pack(1) of the program. */
#if defined(PACKED)
#pragma pack(1)
struct of_the_program { char a; double b; };
#endif
#include "../../df.h"
#include "../../df_stm.h"
#include "../../df_gpu.h"
#include "../../df_owm.h"
DF_TASK(char, narrow, (char, c));
char narrow(char c) { return c; }
#if defined(PACKED)
struct still_packed { char a; double b; };
#pragma pack()
typedef char packed_before[sizeof(struct of_the_program) == 9 ? 1 : -1];
typedef char packed_after[sizeof(struct still_packed) == 9 ? 1 : -1];
#endif

/* tests/compile/run compares what the compiler writes for this array. */
#define OF(T) (int)sizeof(T), (int)__alignof__(T)
extern const int layout[];
const int layout[] = {
    OF(df_arena), OF(df_candidate), OF(df_config), OF(df_counters), OF(df_data), OF(df_dist_desc), OF(df_dist_dim),
    OF(df_gpu_device), OF(df_handle), OF(df_loop), OF(df_mutex), OF(df_ndrange), OF(df_opts), OF(df_part),
    OF(df_pick), OF(df_pick_opts), OF(df_pipe_opts), OF(df_region), OF(df_semaphore), OF(df_stm_counters),
    OF(df_token), OF(df_variant), OF(struct dfi_future), OF(struct dfi_tm_block), OF(struct dfi_access),
    __alignof__(narrow_future) >= __alignof__(struct dfi_future)
};

/* owm_words.h - the parameter words of df_owm.h, and tasks whose ownership is recorded
 *
 * The words are one more form for the generators of api/param.h: an array that is not an access. Where ownership is
 * recorded, a function around the body of each task tells df when the body begins and ends, and acquires its
 * parameters. */
#ifndef DFI_API_OWM_WORDS_H
#define DFI_API_OWM_WORDS_H

#include "../base/compiler.h"
#include "../base/pp.h"
#include "declare.h"
#include "owm_settings.h"
#include "param.h"
#include "result.h"
#include "taskgraph_declare.h"

#define df_owm_in(...)    DFI_TUPLE(3, "df_owm_in", dfi_f_owm, dfi_m_owm_in, __VA_ARGS__)
#define df_owm_out(...)   DFI_TUPLE(3, "df_owm_out", dfi_f_owm, dfi_m_owm_out, __VA_ARGS__)
#define df_owm_inout(...) DFI_TUPLE(3, "df_owm_inout", dfi_f_owm, dfi_m_owm_inout, __VA_ARGS__)
#define DFI_FORM_dfi_f_owm ~, 1
#define DFI_CONST_dfi_m_owm_in const
#define DFI_CONST_dfi_m_owm_out
#define DFI_CONST_dfi_m_owm_inout

#define DFI_PROTO_dfi_f_owm       DFI_PROTO_dfi_f_array
#define DFI_MORE_dfi_f_owm        DFI_MORE_dfi_f_array
#define DFI_FIELD_dfi_f_owm       DFI_FIELD_dfi_f_array
#define DFI_NAME_dfi_f_owm        DFI_NAME_dfi_f_array
#define DFI_LOAD_dfi_f_owm        DFI_LOAD_dfi_f_array
#define DFI_ALSO_dfi_f_owm        DFI_ALSO_dfi_f_array
#define DFI_INIT_dfi_f_owm        DFI_INIT_dfi_f_array
#define DFI_PASS_dfi_f_owm        DFI_PASS_dfi_f_array
#define DFI_GIVEN_dfi_f_owm       DFI_GIVEN_dfi_f_array
#define DFI_TYPES_dfi_f_owm(f, T, p, n)
#define DFI_PART_dfi_f_owm(mode)
#define DFI_USED_dfi_f_owm        DFI_USED_dfi_f_array
#define DFI_EMPTY_dfi_f_owm       DFI_INIT_dfi_f_array
#define DFI_SETTER_dfi_f_owm      DFI_SETTER_dfi_f_array
#define DFI_INPUT_dfi_f_owm       DFI_INPUT_dfi_f_array
#define DFI_WHERE_dfi_f_owm       DFI_WHERE_dfi_f_array
#define DFI_TITLE_dfi_f_owm       DFI_TITLE_dfi_f_array
#define DFI_SHAPE_dfi_f_owm       DFI_SHAPE_dfi_f_array
#define DFI_REDUCER_dfi_f_owm     DFI_REDUCER_dfi_f_array
#define DFI_ACCESS_dfi_f_owm(f, mode, T, p, n) (void)sizeof(n);
#define DFI_ASK_dfi_f_owm(f, mode, T, p, n)
#define DFI_LABEL_dfi_f_owm(T, p, n)
#define DFI_MODES_dfi_f_owm(mode, ...)
#define DFI_ORDER_dfi_f_owm(T, p, n)
#define DFI_HAVE_dfi_f_owm        DFI_ALSO_dfi_f_array
#define DFI_HAND_dfi_f_owm        DFI_ALSO_dfi_f_array
#define DFI_SEEN_dfi_f_owm        DFI_MORE_dfi_f_array
#define DFI_BAD_dfi_f_owm
#define DFI_OF_STREAM_dfi_f_owm
#define DFI_TEXT_dfi_f_owm        DFI_TEXT_dfi_f_array
#define DFI_TEXT_dfi_m_owm_in     "df_owm_in"
#define DFI_TEXT_dfi_m_owm_out    "df_owm_out"
#define DFI_TEXT_dfi_m_owm_inout  "df_owm_inout"

#if DFI_OWM_CALLS

/* A running body; a list, innermost first, on the C stack. */
struct dfi_owm_frame {
    struct dfi_owm_frame *outer;
    const char *name, *site; /* of the declaration; name NULL: the code of a thread outside of all bodies */
    uint64_t id;             /* unique in this process; 0: not needed yet */
    unsigned held;           /* the first record that the body holds; 0: none */
    unsigned reported;       /* the allocation in which the body wrote memory that it did not own; 0: none */
};
DFI_EXTERN_C_BEGIN
DFI_API void dfi_owm_enter(struct dfi_owm_frame *f, const char *name, const char *site);
DFI_API void dfi_owm_leave(struct dfi_owm_frame *f);
DFI_API void dfi_owm_subscribe(struct dfi_owm_frame *f, const void *p, size_t bytes, int mode);
DFI_API df_result dfi_owm_acquire(const void *p, size_t bytes, int mode, const char *site);
DFI_API df_result dfi_owm_release(const void *p, size_t bytes, const char *site);
DFI_API df_result dfi_owm_freeze(const void *p, size_t bytes, const char *site);
DFI_EXTERN_C_END

#define DFI_OWNS 1
#define DFI_TASK_BODY_1(linkage, R, v, name, n, ...)                                               \
    linkage R name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                          \
    DFI_UNUSED static R name##_dfi_owned(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                     \
    {                                                                                              \
        DFI_BODY_BEGIN(#name, DFI_SITE)                                                            \
        DFI_EACH_##n(DFI_SUBSCRIBE, __VA_ARGS__)                                                   \
        DFI_IF_R(v)({ R dfi_v =) name(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                        \
        DFI_BODY_END                                                                               \
        DFI_IF_R(v)(return dfi_v; })                                                               \
    }                                                                                              \
    DFI_TASK_OF(linkage, R, v, name, name##_dfi_owned, n, __VA_ARGS__)
#undef DFI_BODY_BEGIN
#undef DFI_BODY_END
#if defined(__cplusplus)
DFI_CXX_BEGIN
struct dfi_owm_around : dfi_owm_frame { /* an exception may leave the body */
    dfi_owm_around(const char *a, const char *b) { dfi_owm_enter(this, a, b); }
    ~dfi_owm_around() { dfi_owm_leave(this); }
};
DFI_CXX_END
#define DFI_BODY_BEGIN(name, site) dfi_owm_around dfi_o(name, site);
#define DFI_BODY_END
#else
#define DFI_BODY_BEGIN(name, site) \
    struct dfi_owm_frame dfi_o; \
    dfi_owm_enter(&dfi_o, name, site);
#define DFI_BODY_END dfi_owm_leave(&dfi_o);
#endif

/* as an acquisition at the beginning of the body */
#define DFI_SUBSCRIBE(t) DFI_SUBSCRIBE_ t
#define DFI_SUBSCRIBE_(form, mode, ...) DFI_SUBSCRIBE_##form(mode, __VA_ARGS__)
#define DFI_SUBSCRIBE_dfi_f_none(mode, T, x)
#define DFI_SUBSCRIBE_dfi_f_value(mode, T, x)
#define DFI_SUBSCRIBE_dfi_f_array(mode, T, p, n)
#define DFI_SUBSCRIBE_dfi_f_block(mode, T, p, rows, cols, ld)
#define DFI_SUBSCRIBE_dfi_f_range(mode, T, b, e)
#define DFI_SUBSCRIBE_dfi_f_reduce(op, T, p, n)
#define DFI_SUBSCRIBE_dfi_f_reduce2(op, T, p, rows, cols, ld)
#define DFI_SUBSCRIBE_dfi_f_pop(mode, T, p, burst)
#define DFI_SUBSCRIBE_dfi_f_peek(mode, T, p, horizon, burst)
#define DFI_SUBSCRIBE_dfi_f_popv(mode, T, p, burst, n)
#define DFI_SUBSCRIBE_dfi_f_owm(mode, T, p, n) dfi_owm_subscribe(&dfi_o, p, DFI_BYTES_OF(n, T), DFI_OWM_##mode);
#define DFI_OWM_dfi_m_owm_in    DF_OWM_R
#define DFI_OWM_dfi_m_owm_out   DF_OWM_W
#define DFI_OWM_dfi_m_owm_inout DF_OWM_RW

#endif

#endif

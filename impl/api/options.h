/* options.h - option structs written inside a call: DF_OPTS and similar macros, in C and in C++
 *
 * C has compound literals. C++11 has no equivalent that takes fields in any order, so each argument `.field = value`
 * becomes the statement `o .field = value` in a lambda, whose result lives until the end of the full expression. */
#ifndef DFI_API_OPTIONS_H
#define DFI_API_OPTIONS_H

#include "../base/compiler.h"
#include "../base/pp.h"

#include <stddef.h>

#if defined(__cplusplus)
#include <initializer_list>

/* S: the struct that receives the fields; T itself, except for df_opts (dfi_opts_fields). */
#define DFI_OPTIONS(T, S, ...) DFI_OPTIONS_(S, DFI_COUNT(__VA_ARGS__), __VA_ARGS__)
#define DFI_OPTIONS_(S, n, ...) DFI_OPTIONS_GO(S, n, __VA_ARGS__)
#define DFI_OPTIONS_GO(S, n, ...) \
    (dfi_options_at([&]() -> S { S dfi_o = S(); DFI_EACH_##n(DFI_ASSIGN, __VA_ARGS__) return dfi_o; }()))
#define DFI_ASSIGN(field) (void)(dfi_o field);

template <typename dfi_t> const dfi_t *dfi_options_at(const dfi_t &o) { return &o; }

/* The result of DF_TOKENS, and a field that stores it, so that the list lives as long as the options. */
enum { DFI_TOKEN_LIST = 16 };
struct dfi_token_list {
    struct df_token *t[DFI_TOKEN_LIST + 1];
    dfi_token_list() : t() {}
    dfi_token_list(std::initializer_list<struct df_token *> l) : t()
    {
        size_t n = 0;
        for (struct df_token *i : l) t[n++] = i;
    }
};
struct dfi_token_field {
    struct df_token *const *given;
    dfi_token_list list;
    int listed;
    dfi_token_field() : given(), list(), listed() {}
    dfi_token_field &operator=(struct df_token *const *t) { given = t, listed = 0; return *this; }
    dfi_token_field &operator=(const dfi_token_list &l) { list = l, listed = 1; return *this; }
    struct df_token *const *get() const { return listed ? list.t : given; }
};
#define DFI_TOKENS(...)                                                                                                \
    ([&]() -> dfi_token_list {                                                                                         \
        static_assert(DFI_COUNT(__VA_ARGS__, NULL) - 1 <= DFI_TOKEN_LIST, "df.h: DF_TOKENS has more than 16 tokens");  \
        return dfi_token_list{ __VA_ARGS__ };                                                                          \
    }())

#define DFI_SIZED_OPTIONS DFI_OPTIONS /* their overloads of dfi_options_at set the size */

DFI_CXX_BEGIN
/* A row of DF_VECTORS. The list is a temporary and lives until the end of the full expression. */
struct dfi_vector_row {
    long v[3];
    dfi_vector_row(long a = 0, long b = 0, long c = 0) { v[0] = a, v[1] = b, v[2] = c; }
};
inline const long (*dfi_vectors_at(std::initializer_list<dfi_vector_row> rows))[3] { return &rows.begin()->v; }
DFI_CXX_END
#define DFI_VECTORS(...) (dfi_vectors_at({ __VA_ARGS__, { 0, 0, 0 } }))

#else

#define DFI_OPTIONS(T, S, ...)       (&(T){ __VA_ARGS__ })
#define DFI_SIZED_OPTIONS(T, S, ...) (&(T){ .size = sizeof(T), __VA_ARGS__ })
#define DFI_TOKENS(...) ((struct df_token *const[]){ __VA_ARGS__, NULL })
#define DFI_VECTORS(...) ((const long[][3]){ __VA_ARGS__, { 0, 0, 0 } }) /* ends with a zero vector */

#endif

#endif

/* pp.h - preprocessor library: from the parameters of a declaration to token lists
 *
 * Standard C11 preprocessing (C99 under DF_SERIAL). A parameter as the user writes it,
 *     (T, x)   df_in(T, p, n)   df_in2(T, p, rows, cols, ld)   df_in_range(T, b, e)   ...
 * is normalised once into a tuple (form, mode, T, names and expressions), and each generator maps a macro over the
 * tuples. Forms and modes are spelled dfi_f_* and dfi_m_*, because users define macros called IN, OUT, I or near. */
#ifndef DFI_BASE_PP_H
#define DFI_BASE_PP_H

#define DFI_COMMA(...) ,
/* DFI_OPEN list: the list without its parentheses. */
#define DFI_OPEN(...) __VA_ARGS__

/* The number of arguments, 1 to 17. For 18 to 32 arguments: TOO_MANY. */
#define DFI_COUNT(...) DFI_COUNT_(__VA_ARGS__, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, \
    TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,    \
    TOO_MANY, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define DFI_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, \
    a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) n

/* 1 if the argument starts with a parenthesis, else 0. */
#define DFI_IS_PAREN(x) DFI_PROBED(DFI_PAREN_PROBE x, 0, ~)
#define DFI_PAREN_PROBE(...) ~, 1
#define DFI_PROBED(...) DFI_SECOND(__VA_ARGS__)
#define DFI_SECOND(a, b, ...) b

/* 1 if R is exactly `void`, else 0 (`void *` is an ordinary type). */
#define DFI_IS_VOID(R) DFI_IS_EMPTY(DFI_VOID_##R)
#define DFI_VOID_void

/* 1 if x is empty, else 0. x begins with an identifier or an operator. */
#define DFI_IS_EMPTY(x) DFI_IS_EMPTY_(DFI_COMMA x ())
#define DFI_IS_EMPTY_(...) DFI_THIRD(__VA_ARGS__, 1, 0, ~)
#define DFI_THIRD(a, b, c, ...) c

/* DFI_EACH_n(M, t1, ..., tn): M(t1) ... M(tn). DFI_LIST_n: the same, separated by commas. */
#define DFI_EACH_1(M, t) M(t)
#define DFI_EACH_2(M, t, ...) M(t) DFI_EACH_1(M, __VA_ARGS__)
#define DFI_EACH_3(M, t, ...) M(t) DFI_EACH_2(M, __VA_ARGS__)
#define DFI_EACH_4(M, t, ...) M(t) DFI_EACH_3(M, __VA_ARGS__)
#define DFI_EACH_5(M, t, ...) M(t) DFI_EACH_4(M, __VA_ARGS__)
#define DFI_EACH_6(M, t, ...) M(t) DFI_EACH_5(M, __VA_ARGS__)
#define DFI_EACH_7(M, t, ...) M(t) DFI_EACH_6(M, __VA_ARGS__)
#define DFI_EACH_8(M, t, ...) M(t) DFI_EACH_7(M, __VA_ARGS__)
#define DFI_EACH_9(M, t, ...) M(t) DFI_EACH_8(M, __VA_ARGS__)
#define DFI_EACH_10(M, t, ...) M(t) DFI_EACH_9(M, __VA_ARGS__)
#define DFI_EACH_11(M, t, ...) M(t) DFI_EACH_10(M, __VA_ARGS__)
#define DFI_EACH_12(M, t, ...) M(t) DFI_EACH_11(M, __VA_ARGS__)
#define DFI_EACH_13(M, t, ...) M(t) DFI_EACH_12(M, __VA_ARGS__)
#define DFI_EACH_14(M, t, ...) M(t) DFI_EACH_13(M, __VA_ARGS__)
#define DFI_EACH_15(M, t, ...) M(t) DFI_EACH_14(M, __VA_ARGS__)
#define DFI_EACH_16(M, t, ...) M(t) DFI_EACH_15(M, __VA_ARGS__)
#define DFI_LIST_1(M, t) M(t)
#define DFI_LIST_2(M, t, ...) M(t), DFI_LIST_1(M, __VA_ARGS__)
#define DFI_LIST_3(M, t, ...) M(t), DFI_LIST_2(M, __VA_ARGS__)
#define DFI_LIST_4(M, t, ...) M(t), DFI_LIST_3(M, __VA_ARGS__)
#define DFI_LIST_5(M, t, ...) M(t), DFI_LIST_4(M, __VA_ARGS__)
#define DFI_LIST_6(M, t, ...) M(t), DFI_LIST_5(M, __VA_ARGS__)
#define DFI_LIST_7(M, t, ...) M(t), DFI_LIST_6(M, __VA_ARGS__)
#define DFI_LIST_8(M, t, ...) M(t), DFI_LIST_7(M, __VA_ARGS__)
#define DFI_LIST_9(M, t, ...) M(t), DFI_LIST_8(M, __VA_ARGS__)
#define DFI_LIST_10(M, t, ...) M(t), DFI_LIST_9(M, __VA_ARGS__)
#define DFI_LIST_11(M, t, ...) M(t), DFI_LIST_10(M, __VA_ARGS__)
#define DFI_LIST_12(M, t, ...) M(t), DFI_LIST_11(M, __VA_ARGS__)
#define DFI_LIST_13(M, t, ...) M(t), DFI_LIST_12(M, __VA_ARGS__)
#define DFI_LIST_14(M, t, ...) M(t), DFI_LIST_13(M, __VA_ARGS__)
#define DFI_LIST_15(M, t, ...) M(t), DFI_LIST_14(M, __VA_ARGS__)
#define DFI_LIST_16(M, t, ...) M(t), DFI_LIST_15(M, __VA_ARGS__)

/* DFI_WITH_n(M, c, t1, ..., tn): M(c, t1) ... M(c, tn). */
#define DFI_WITH_1(M, c, t) M(c, t)
#define DFI_WITH_2(M, c, t, ...) M(c, t) DFI_WITH_1(M, c, __VA_ARGS__)
#define DFI_WITH_3(M, c, t, ...) M(c, t) DFI_WITH_2(M, c, __VA_ARGS__)
#define DFI_WITH_4(M, c, t, ...) M(c, t) DFI_WITH_3(M, c, __VA_ARGS__)
#define DFI_WITH_5(M, c, t, ...) M(c, t) DFI_WITH_4(M, c, __VA_ARGS__)
#define DFI_WITH_6(M, c, t, ...) M(c, t) DFI_WITH_5(M, c, __VA_ARGS__)
#define DFI_WITH_7(M, c, t, ...) M(c, t) DFI_WITH_6(M, c, __VA_ARGS__)
#define DFI_WITH_8(M, c, t, ...) M(c, t) DFI_WITH_7(M, c, __VA_ARGS__)
#define DFI_WITH_9(M, c, t, ...) M(c, t) DFI_WITH_8(M, c, __VA_ARGS__)
#define DFI_WITH_10(M, c, t, ...) M(c, t) DFI_WITH_9(M, c, __VA_ARGS__)
#define DFI_WITH_11(M, c, t, ...) M(c, t) DFI_WITH_10(M, c, __VA_ARGS__)
#define DFI_WITH_12(M, c, t, ...) M(c, t) DFI_WITH_11(M, c, __VA_ARGS__)
#define DFI_WITH_13(M, c, t, ...) M(c, t) DFI_WITH_12(M, c, __VA_ARGS__)
#define DFI_WITH_14(M, c, t, ...) M(c, t) DFI_WITH_13(M, c, __VA_ARGS__)
#define DFI_WITH_15(M, c, t, ...) M(c, t) DFI_WITH_14(M, c, __VA_ARGS__)
#define DFI_WITH_16(M, c, t, ...) M(c, t) DFI_WITH_15(M, c, __VA_ARGS__)

/* DFI_NUMBERED(M, c, t1, ..., tn): M(c, 1, t1) ... M(c, n, tn), then (dfi_f_none, ~, ~, ~) up to number 16. */
#define DFI_NUMBERED(M, c, ...) DFI_NUMBERED_(M, c, __VA_ARGS__, DFI_NO_8, DFI_NO_4, DFI_NO_2, DFI_NO_1, ~)
#define DFI_NO_1 (dfi_f_none, ~, ~, ~)
#define DFI_NO_2 DFI_NO_1, DFI_NO_1
#define DFI_NO_4 DFI_NO_2, DFI_NO_2
#define DFI_NO_8 DFI_NO_4, DFI_NO_4
#define DFI_NUMBERED_(...) DFI_NUMBERED_GO(__VA_ARGS__)
#define DFI_NUMBERED_GO(M, c, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, ...)              \
    M(c, 1, a1) M(c, 2, a2) M(c, 3, a3) M(c, 4, a4) M(c, 5, a5) M(c, 6, a6) M(c, 7, a7) M(c, 8, a8) M(c, 9, a9)        \
    M(c, 10, a10) M(c, 11, a11) M(c, 12, a12) M(c, 13, a13) M(c, 14, a14) M(c, 15, a15) M(c, 16, a16)

/* DFI_PARAMS(M, (c), name, p1, ..., pn): M(c, name, n, t1, ..., tn), where t1 is the tuple of p1. Without parameters n
 * is 1, and t1 of form dfi_f_none. More than 16: M_TOO_MANY(name). */
#define DFI_PARAMS(M, c, ...) DFI_CAT(DFI_PARAMS_, DFI_COUNT(__VA_ARGS__))(M, c, __VA_ARGS__)
#define DFI_PARAMS_TOO_MANY(M, c, name, ...) M##_TOO_MANY(name)
#define DFI_PARAMS_1(M, c, name) M(DFI_OPEN c, name, 1, (dfi_f_none, dfi_m_value, char, dfi_none))
#define DFI_PARAMS_2(M, c, name, ...) M(DFI_OPEN c, name, 1, DFI_LIST_1(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_3(M, c, name, ...) M(DFI_OPEN c, name, 2, DFI_LIST_2(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_4(M, c, name, ...) M(DFI_OPEN c, name, 3, DFI_LIST_3(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_5(M, c, name, ...) M(DFI_OPEN c, name, 4, DFI_LIST_4(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_6(M, c, name, ...) M(DFI_OPEN c, name, 5, DFI_LIST_5(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_7(M, c, name, ...) M(DFI_OPEN c, name, 6, DFI_LIST_6(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_8(M, c, name, ...) M(DFI_OPEN c, name, 7, DFI_LIST_7(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_9(M, c, name, ...) M(DFI_OPEN c, name, 8, DFI_LIST_8(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_10(M, c, name, ...) M(DFI_OPEN c, name, 9, DFI_LIST_9(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_11(M, c, name, ...) M(DFI_OPEN c, name, 10, DFI_LIST_10(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_12(M, c, name, ...) M(DFI_OPEN c, name, 11, DFI_LIST_11(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_13(M, c, name, ...) M(DFI_OPEN c, name, 12, DFI_LIST_12(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_14(M, c, name, ...) M(DFI_OPEN c, name, 13, DFI_LIST_13(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_15(M, c, name, ...) M(DFI_OPEN c, name, 14, DFI_LIST_14(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_16(M, c, name, ...) M(DFI_OPEN c, name, 15, DFI_LIST_15(DFI_NORM, __VA_ARGS__))
#define DFI_PARAMS_17(M, c, name, ...) M(DFI_OPEN c, name, 16, DFI_LIST_16(DFI_NORM, __VA_ARGS__))

/* All arguments but the first. */
#define DFI_TAIL(...) DFI_TAIL_(__VA_ARGS__)
#define DFI_TAIL_(a, ...) __VA_ARGS__

/* --- normalisation: a parameter as written -> (form, mode, T, ...) ---------------------------
 * forms: dfi_f_value (T, x)                   dfi_f_array (T, p, n)
 *        dfi_f_block (T, p, rows, cols, ld)   dfi_f_range (T, b, e)
 *        dfi_f_reduce (T, p, n), dfi_f_reduce2 (T, p, rows, cols, ld): the operator is in the place of the mode
 *        dfi_f_pop (T, p, burst)              dfi_f_peek (T, p, horizon, burst)
 *        dfi_f_popv (T, p, burst, n): stream windows, read or written according to the mode
 *        dfi_f_none: the only tuple of a task without parameters
 *        dfi_f_wrong: a malformed parameter, with its text; it causes one static assertion */
#define DFI_NORM(p) DFI_CAT(DFI_NORM_, DFI_IS_PAREN(p))(p)
#define DFI_NORM_1(p) DFI_CAT(DFI_NORM_1_, DFI_IS_FORM p)(p)
#define DFI_NORM_1_1(p) p
#define DFI_NORM_1_0(p) DFI_W_value p
#define DFI_NORM_0(p) DFI_TUPLE_WRONG(#p)

/* 1 for the expansion of a parameter word, 0 for (T, x). */
#define DFI_IS_FORM(...) DFI_IS_FORM_(__VA_ARGS__, ~)
#define DFI_IS_FORM_(form, ...) DFI_PROBED(DFI_FORM_##form, 0, ~)
#define DFI_FORM_dfi_f_array   ~, 1
#define DFI_FORM_dfi_f_block   ~, 1
#define DFI_FORM_dfi_f_range   ~, 1
#define DFI_FORM_dfi_f_reduce  ~, 1
#define DFI_FORM_dfi_f_reduce2 ~, 1
#define DFI_FORM_dfi_f_pop     ~, 1
#define DFI_FORM_dfi_f_peek    ~, 1
#define DFI_FORM_dfi_f_popv    ~, 1
#define DFI_FORM_dfi_f_wrong   ~, 1

/* The parameter words are macros, so that a declaration can distinguish them from the tokens after its parameters. */
#define DFI_W_value(...) DFI_TUPLE(2, "", dfi_f_value, dfi_m_value, __VA_ARGS__)
#define df_in(...)             DFI_TUPLE(3, "df_in", dfi_f_array, dfi_m_in, __VA_ARGS__)
#define df_out(...)            DFI_TUPLE(3, "df_out", dfi_f_array, dfi_m_out, __VA_ARGS__)
#define df_inout(...)          DFI_TUPLE(3, "df_inout", dfi_f_array, dfi_m_inout, __VA_ARGS__)
#define df_commute(...)        DFI_TUPLE(3, "df_commute", dfi_f_array, dfi_m_commute, __VA_ARGS__)
#define df_concurrent(...)     DFI_TUPLE(3, "df_concurrent", dfi_f_array, dfi_m_concurrent, __VA_ARGS__)
#define df_in2(...)            DFI_TUPLE(5, "df_in2", dfi_f_block, dfi_m_in, __VA_ARGS__)
#define df_out2(...)           DFI_TUPLE(5, "df_out2", dfi_f_block, dfi_m_out, __VA_ARGS__)
#define df_inout2(...)         DFI_TUPLE(5, "df_inout2", dfi_f_block, dfi_m_inout, __VA_ARGS__)
#define df_commute2(...)       DFI_TUPLE(5, "df_commute2", dfi_f_block, dfi_m_commute, __VA_ARGS__)
#define df_in_range(...)       DFI_TUPLE(3, "df_in_range", dfi_f_range, dfi_m_in, __VA_ARGS__)
#define df_out_range(...)      DFI_TUPLE(3, "df_out_range", dfi_f_range, dfi_m_out, __VA_ARGS__)
#define df_inout_range(...)    DFI_TUPLE(3, "df_inout_range", dfi_f_range, dfi_m_inout, __VA_ARGS__)
#define df_read(...)           DFI_TUPLE(3, "df_read", dfi_f_array, dfi_m_read, __VA_ARGS__)
#define df_read2(...)          DFI_TUPLE(5, "df_read2", dfi_f_block, dfi_m_read, __VA_ARGS__)
#define df_read_range(...)     DFI_TUPLE(3, "df_read_range", dfi_f_range, dfi_m_read, __VA_ARGS__)
#define df_weak_in(...)        DFI_TUPLE(3, "df_weak_in", dfi_f_array, dfi_m_weak_in, __VA_ARGS__)
#define df_weak_out(...)       DFI_TUPLE(3, "df_weak_out", dfi_f_array, dfi_m_weak_out, __VA_ARGS__)
#define df_weak_inout(...)     DFI_TUPLE(3, "df_weak_inout", dfi_f_array, dfi_m_weak_inout, __VA_ARGS__)
#define df_weak_in2(...)       DFI_TUPLE(5, "df_weak_in2", dfi_f_block, dfi_m_weak_in, __VA_ARGS__)
#define df_weak_out2(...)      DFI_TUPLE(5, "df_weak_out2", dfi_f_block, dfi_m_weak_out, __VA_ARGS__)
#define df_weak_inout2(...)    DFI_TUPLE(5, "df_weak_inout2", dfi_f_block, dfi_m_weak_inout, __VA_ARGS__)
#define df_pop(...)            DFI_TUPLE(3, "df_pop", dfi_f_pop, dfi_m_pop, __VA_ARGS__)
#define df_push(...)           DFI_TUPLE(3, "df_push", dfi_f_pop, dfi_m_push, __VA_ARGS__)
#define df_peek(...)           DFI_TUPLE(4, "df_peek", dfi_f_peek, dfi_m_pop, __VA_ARGS__)
#define df_popv(...)           DFI_TUPLE(4, "df_popv", dfi_f_popv, dfi_m_pop, __VA_ARGS__)
#define df_pushv(...)          DFI_TUPLE(4, "df_pushv", dfi_f_popv, dfi_m_push, __VA_ARGS__)
#define df_reduce(...)         DFI_TUPLE_REDUCE(4, "df_reduce", dfi_f_reduce, __VA_ARGS__)
#define df_reduce2(...)        DFI_TUPLE_REDUCE(6, "df_reduce2", dfi_f_reduce2, __VA_ARGS__)

/* The tuple if the word has `want` arguments, else a dfi_f_wrong tuple with its text. */
#define DFI_TUPLE(want, word, form, mode, ...) \
    DFI_CAT(DFI_TUPLE_, DFI_ARITY(want, DFI_COUNT(__VA_ARGS__)))(word, form, mode, __VA_ARGS__)
#define DFI_TUPLE_1(word, ...) (__VA_ARGS__)
#define DFI_TUPLE_0(word, form, mode, ...) DFI_TUPLE_WRONG(word "(" #__VA_ARGS__ ")")
#define DFI_TUPLE_REDUCE(want, word, form, ...) \
    DFI_CAT(DFI_TUPLE_REDUCE_, DFI_ARITY(want, DFI_COUNT(__VA_ARGS__)))(word, form, __VA_ARGS__)
#define DFI_TUPLE_REDUCE_1(word, ...) (__VA_ARGS__)
#define DFI_TUPLE_REDUCE_0(word, form, ...) DFI_TUPLE_WRONG(word "(" #__VA_ARGS__ ")")
#define DFI_TUPLE_WRONG(text) (dfi_f_wrong, dfi_m_value, text, dfi_wrong)
#define DFI_ARITY(want, got) DFI_ARITY_(want, got)
#define DFI_ARITY_(want, got) DFI_PROBED(DFI_ARITY_##want##_##got, 0, ~)
#define DFI_ARITY_1_1 ~, 1
#define DFI_ARITY_2_2 ~, 1
#define DFI_ARITY_3_3 ~, 1
#define DFI_ARITY_4_4 ~, 1
#define DFI_ARITY_5_5 ~, 1
#define DFI_ARITY_6_6 ~, 1

#endif

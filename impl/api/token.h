/* token.h - tokens: ordering that memory accesses cannot express, >>tokens
 *
 *   df_token t = DF_TOKEN(k);      closed until it has been signalled k times, then open for good
 *   DF_TOKEN_EXTERNAL(k)           as DF_TOKEN, for signals from outside of df (other threads, signal handlers): tasks
 *             that wait for it are not given up, nor is anything else meanwhile that may follow from it
 *   df_token_init(&t, k);          the same as DF_TOKEN for existing memory, or to use t again when it is open and
 *             all tasks that waited for it have started
 *   df_token_init_external(&t, k); the same as DF_TOKEN_EXTERNAL
 *   df_signal(&t);                 one signal. Everything that the thread did before it is visible to the tasks that
 *             it releases.
 *             Threads: any, also one that never used df (a callback of another library), at any time. On Linux also in
 *             a signal handler, if the token is external: it takes no lock there, allocates nothing and keeps errno
 *             (but not with DF_GRAPH, nor while DF_SCHEDULE records or repeats).
 *             Errors: a signal beyond the k-th is reported with its line and has no effect.
 *   df_signal_failed(&t, code, text);   as df_signal, and what t stands for has failed: when t is open, the tasks that
 *             wait for it are skipped, and their scopes fail with code and text as by df_fail. The first failure of t
 *             counts. text: kept by address.
 *             Errors: code 0 is reported and becomes -1.
 *   df_signal_external(&t, code, text);   df_signal, or if code is not 0 df_signal_failed, from outside of all tasks:
 *             from the function df_config.idle, a signal handler, or a thread that never used df. A program that calls
 *             df_signal queues all tasks, because one that ran inside df_submit might wait for a signal that its
 *             submitter gives later. One that signals only in this way runs tasks there, at a tenth of the cost.
 *             Errors: reported, and given nevertheless, from another place if t is not external.
 *   df_token_name(&t, name);       messages call t by that name, which is kept by address, and not by the line of its
 *             initialisation. To be called before others use t.
 *   DF_TOKENS(&t, &u)              a list of up to 16 tokens, for df_opts.after and df_opts.signals:
 *             df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), name, args...);
 *             the task starts when t is open, and signals u when it is done.
 *   df_result df_wait_token(&t);   waits until t is open; meanwhile another thread runs tasks in the caller's place.
 *             Returns DF_OK; the code of df_signal_failed, and df_error_text its text; DF_ERROR_STUCK if nothing is
 *             left that could signal it; DF_ERROR_CANCELLED if a task that should have signalled it was skipped, or if
 *             the running task was cancelled meanwhile, and no wait of it was ended for that before. In the last case
 *             the token may still be closed, and a second call waits.
 *
 *     A token must live until it is open and all tasks that it releases have started.
 *     With DF_SERIAL, DF_TOKEN_EXTERNAL is for events from outside: an interrupt, a signal handler, another thread of
 *     the program (which must also make its data visible). df_signal only counts there, and only one of them may
 *     signal a token at a time. The next wait of the program looks for such signals and runs the released tasks;
 *     while none has come and nothing else is ready, it executes DF_IDLE().
 *     Threads: any.
 *   Errors: when no thread that uses df has any work left, tasks that wait for tokens can only be released by signals
 *     from outside. df gives these tasks up after df_config.patience, but not while a task or thread waits for a
 *     DF_TOKEN_EXTERNAL, an external node or an external stream; or immediately if all signals of their tokens are
 *     promised by such tasks themselves. Each is reported with the line of its submit and skipped like a
 *     cancelled task, and df_wait_token and df_wait_result return DF_ERROR_STUCK.
 *   Source: DFScala and TFLUX (TERAFLUX D3.5); OpenMP's detach. */
#ifndef DFI_API_TOKEN_H
#define DFI_API_TOKEN_H

#include "may_block.h"
#include "need.h"
#include "options.h"
#include "result.h"
#include "../base/atomic.h"
#include "../base/compiler.h"

typedef struct df_token {
    DFI_ATOMIC(void *) dfi_list;
    DFI_ATOMIC(intptr_t) dfi_need;
    DFI_ATOMIC(intptr_t) dfi_promised;
    const char *dfi_site;
    DFI_ATOMIC(int) dfi_state;
    DFI_ATOMIC(int) dfi_code; /* of df_signal_failed */
    const char *dfi_text;
} df_token;
#define DF_TOKEN(k)          { (void *)(uintptr_t)((k) <= 0), (k), 0, DFI_SITE, 0, 0, NULL }
#define DF_TOKEN_EXTERNAL(k) { (void *)(uintptr_t)((k) <= 0), (k), 0, DFI_SITE, 1, 0, NULL }
#define DF_TOKENS(...) DFI_TOKENS(__VA_ARGS__)
#define df_token_init(t, k) DFI_NEEDING(more, dfi_token_init((t), (k), DFI_SITE))
#define df_token_init_external(t, k) DFI_NEEDING(more, dfi_token_init_external((t), (k), DFI_SITE))
#define df_signal(t)        DFI_MAY_BLOCK(DFI_NEEDING(more, dfi_signal((t), DFI_SITE)))
#define df_signal_failed(t, code, text) \
    DFI_MAY_BLOCK(DFI_NEEDING(more, dfi_signal_failed((t), (code), (text), DFI_SITE)))
#define df_signal_external(t, code, text) DFI_NEEDING(more, dfi_signal_external((t), (code), (text), DFI_SITE))
#define df_token_name(t, name) DFI_NEEDING(more, dfi_token_name((t), (name)))
#define df_wait_token(t)    DFI_MAY_BLOCK(DFI_NEEDING(more, dfi_wait_token((t), DFI_SITE)))

DFI_EXTERN_C_BEGIN
DFI_API void dfi_token_init(df_token *t, long k, const char *site);
DFI_API void dfi_token_init_external(df_token *t, long k, const char *site);
DFI_API void dfi_signal(df_token *t, const char *site);
DFI_API void dfi_signal_failed(df_token *t, int code, const char *text, const char *site);
DFI_API void dfi_signal_external(df_token *t, int code, const char *text, const char *site);
DFI_API void dfi_token_name(df_token *t, const char *name);
DFI_API df_result dfi_wait_token(df_token *t, const char *site);
DFI_EXTERN_C_END

#endif

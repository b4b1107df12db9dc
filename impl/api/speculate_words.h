/* speculate_words.h - speculative tasks: submission before the condition is known, >>speculation
 *
 *   df_speculate(cond, guess) { submits }         if (!*cond == !guess) { submits }, without waiting for *cond
 *   df_speculate_while(cond, guess) { submits }   while (!*cond == !guess) { submits }, likewise
 *   DF_PREDICATE(name, T, n);   declares a condition on n elements of any type T. The program has declared the function
 *             int name(const T *x) before. n is an expression; the submitter evaluates it at each block.
 *   df_speculate_on(name, x, guess) { submits }         if (!name(x) == !guess) { submits }, likewise
 *   df_speculate_while_on(name, x, guess) { submits }   while (!name(x) == !guess) { submits }, likewise
 *
 *     An iteration that does not wait for its test:
 *
 *         df_submit(test, x, &converged);
 *         df_speculate_while(&converged, 0) {
 *             df_submit(sweep, x);
 *             df_submit(test, x, &converged);
 *         }
 *
 *     cond: a pointer to an integer, a floating-point number or a pointer that tasks write to; -0.0 is false, and NaN
 *     is true, as in an `if`. guess: 0, or not 0. The tasks in the block are submitted, and run, before the tasks that
 *     compute *cond are done, as if *cond were known to be guess. On a misprediction all their effects are rolled
 *     back. Tasks after the block that use their results, df_wait and df_wait_on, wait until the condition is known;
 *     other tasks do not. Blocks nest. If the condition is known already, the block is an `if`, or a `while`.
 *     A loop submits at most df_config.speculate turns whose conditions are unknown. To count the turns that took
 *     effect, submit a task that counts them, because variables of the submitter also count turns that are rolled
 *     back. The block only submits: its other effects are not rolled back. (In the block, df_wait, df_for,
 *     DF_PARALLEL, streams, nodes, launches and tasks with tokens, handles or results wait until the condition is
 *     known, and have no effect on a misprediction, which calls no cancel hooks either.)
 *     After a misprediction, tasks of the block may run on values that result from it. Even then they must end, and
 *     write only what they declare. df_cancelled() is 1 once the misprediction is known. A task that declares no
 *     writes may exist for its output, so it waits until the condition is known. df_fail and df_cancel take effect
 *     only if the guess is right.
 *     In a cancelled scope no block and no turn is executed. After the block, the submitter may change *cond only
 *     after a wait.
 *     A predicate is for everything else, for example the residuals of a solver:
 *
 *         static int small(const double *r)
 *         {
 *             for (int i = 0; i < BLOCKS; i++) if (r[i] > 1e-9) return 0;
 *             return 1;
 *         }
 *         DF_PREDICATE(small, double, BLOCKS);
 *         ... df_speculate_while_on(small, residual, 0) { submits }
 *
 *     df calls name(x) when the tasks that write any of the n elements are done, at most once for each block or turn:
 *     on the thread of any worker, or, if these tasks are done when the block begins, on that of the submitter. No
 *     task writes there meanwhile. The function only reads these elements, and memory that does not change, because it
 *     is also called for turns that are rolled back. It returns for all values: also for those that result from a
 *     misprediction, or that are as before because the tasks that write them were skipped. It calls no construct of df,
 *     does not wait, and does not throw (the program would terminate). Successors of the block wait for it, so it
 *     should take microseconds: tasks compute, a predicate judges.
 *     `break` ends the block, or the loop, and so do, with gcc and clang, `return` and `goto`; the jump is not rolled
 *     back.
 *     Cost: about 1 us a block, and the call of the predicate. A task costs about 0.5 us and a copy of the regions it
 *     overwrites, unless an earlier task of the block wrote there or the condition is known when it begins. Nothing
 *     else is tracked, because the declarations of the tasks show which of them depend on the prediction. Without
 *     memory for a copy, the task waits.
 *     Threads: any; the block is part of the scope of the thread that executes it.
 *   Errors: with DF_DEBUG, df_spawn in a block whose condition is unknown is reported. A cond of another type (a
 *     structure, an array, a complex number) does not compile, nor does an x of another type than the predicate's. (Of
 *     the latter, gcc before 14 only warns, in C.)
 *   Source: StarSs (TERAFLUX D3.5, 3.1). How it works: docs/internals/speculation.md. */
#ifndef DFI_API_SPECULATE_WORDS_H
#define DFI_API_SPECULATE_WORDS_H

#include "speculate.h"

#define df_speculate(cond, guess)       DFI_SPECULATE(cond, guess, 0)
#define df_speculate_while(cond, guess) DFI_SPECULATE(cond, guess, 1)

#define DF_PREDICATE(name, T, n) DFI_QUIET DFI_PREDICATE(name, T, n) DFI_LOUD_END

#define df_speculate_on(name, x, guess)       DFI_SPECULATE_ON(name, x, guess, 0)
#define df_speculate_while_on(name, x, guess) DFI_SPECULATE_ON(name, x, guess, 1)


#endif

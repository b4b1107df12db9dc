/* Tasks that move money between accounts, each transfer as one atomic step.
 *
 * The accounts of a transfer are known only when it runs, so the tasks declare none of them: they may all run at the
 * same time, and DF_ATOMIC runs each transfer as if it were alone. Other tasks add up all accounts meanwhile. With a
 * plain `balance -= amount` instead, money would be lost and the totals would differ.
 */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"

#include <stdio.h>

#include "stm/bank.h"

enum { ACCOUNTS = 64, BALANCE = 1000, TASKS = 32, TRANSFERS = 5000, TOTALS = 20 };

DF_TASK(void, transfer_some, (bank *, b), (unsigned, random));
void transfer_some(bank *b, unsigned random)
{
    for (int i = 0; i < TRANSFERS; i++) {
        random = random * 1664525u + 1013904223u;
        long from = random >> 8 & (ACCOUNTS - 1), to = random >> 16 & (ACCOUNTS - 1), amount = random >> 24;
        DF_ATOMIC {
            bank_transfer(b, from, to, amount);
        }
    }
}

/* How many of the totals that this task sees are wrong. */
DF_TASK(void, look, (bank *, b), df_out(int, wrong, 1));
void look(bank *b, int *wrong)
{
    *wrong = 0;
    for (int i = 0; i < TOTALS; i++) {
        volatile long total = 0;   /* volatile: set before the block and in it */
        DF_ATOMIC {
            total = bank_total(b);
        }
        *wrong += total != ACCOUNTS * BALANCE;
    }
}

int main(void)
{
    long balance[ACCOUNTS];
    int wrong[TASKS], all_wrong = 0;
    bank b = { ACCOUNTS, balance };
    for (int i = 0; i < ACCOUNTS; i++)
        balance[i] = BALANCE;
    DF_PARALLEL {
        for (unsigned i = 0; i < TASKS; i++) {
            df_submit(transfer_some, &b, i);
            df_submit(look, &b, &wrong[i]);
        }
    }
    for (int i = 0; i < TASKS; i++)
        all_wrong += wrong[i];
    printf("%d transfers; in the end %ld in %d accounts; %d of %d totals meanwhile were wrong\n",
           TASKS * TRANSFERS, bank_total(&b), ACCOUNTS, all_wrong, TASKS * TOTALS);
    return all_wrong || bank_total(&b) != ACCOUNTS * BALANCE;
}

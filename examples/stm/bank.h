/* Accounts, transfers between them, and their total: two reads and two writes, or a read of everything.
 *
 * Each function may be called in a block, or while there is one thread; see list.h. */
#ifndef STM_BANK_H
#define STM_BANK_H

typedef struct {
    long accounts;
    long *balance;
} bank;

/* Moves the amount, or the whole balance if that is less. Returns the amount moved. */
static inline long bank_transfer(bank *b, long from, long to, long amount)
{
    long there = df_tm_read(&b->balance[from]);
    if (amount > there)
        amount = there;
    df_tm_write(&b->balance[from], there - amount);
    df_tm_write(&b->balance[to], df_tm_read(&b->balance[to]) + amount);
    return amount;
}

static inline long bank_total(bank *b)
{
    long total = 0;
    for (long i = 0; i < b->accounts; i++)
        total += df_tm_read(&b->balance[i]);
    return total;
}
#endif

/* vacation: customers reserve cars, rooms and flights. Ordered maps, the trees of examples/stm, have the numbers of the
 * offers and of the customers; a list for each customer has the reservations.
 *
 * A task is one of: 13 in 16 look at 6 offers and reserve the most expensive of each kind; 2 in 16 remove a customer
 * with all reservations; 1 in 16 adds or removes 4 offers. Which reservations succeed depends on the order, but they
 * agree with the number of reservations of each offer. */
#ifndef STM_VACATION_H
#define STM_VACATION_H

#include "../../examples/stm/list.h"
#include "../../examples/stm/tree.h"

enum { VACATION_KINDS = 3, VACATION_OFFERS = 16384, VACATION_CUSTOMERS = 4096, VACATION_LOOKS = 6,
       VACATION_CHANGES = 4 };

typedef struct { long total, used, price; } vacation_offer;               /* total 0: not offered */
static struct {
    tree offered[VACATION_KINDS], customers;
    vacation_offer (*offer)[VACATION_OFFERS];
    list *reserved;                               /* kind * OFFERS + number, of each customer */
} the_vacation;

static inline vacation_offer *vacation_find(long key)
{
    return &the_vacation.offer[key / VACATION_OFFERS][key % VACATION_OFFERS];
}

/* Returns the number of reservations. */
static inline long vacation_reserve(uint64_t x)
{
    const long customer = (long)(x % VACATION_CUSTOMERS);
    long best[VACATION_KINDS] = { -1, -1, -1 }, price[VACATION_KINDS] = { 0, 0, 0 }, made = 0;
    for (int i = 0; i < VACATION_LOOKS; i++) {
        const int kind = (int)((x = bench_mix(x)) % VACATION_KINDS);
        const long number = (long)(x >> 32) % VACATION_OFFERS;
        vacation_offer *o = &the_vacation.offer[kind][number];
        if (!tree_contains(&the_vacation.offered[kind], number)) continue;
        if (df_tm_read(&o->used) == df_tm_read(&o->total) || df_tm_read(&o->price) <= price[kind]) continue;
        price[kind] = df_tm_read(&o->price), best[kind] = number;
    }
    for (int kind = 0; kind < VACATION_KINDS; kind++) {
        vacation_offer *o = &the_vacation.offer[kind][best[kind] < 0 ? 0 : best[kind]];
        if (best[kind] < 0) continue;
        tree_insert(&the_vacation.customers, customer);
        if (!list_insert(&the_vacation.reserved[customer], kind * VACATION_OFFERS + best[kind])) continue;
        df_tm_write(&o->used, df_tm_read(&o->used) + 1);
        made++;
    }
    return made;
}

/* Returns the number of reservations, negative. */
static inline long vacation_remove(uint64_t x)
{
    const long customer = (long)(x % VACATION_CUSTOMERS);
    long made = 0;
    if (!tree_remove(&the_vacation.customers, customer)) return 0;
    for (list_node *n = df_tm_read(&the_vacation.reserved[customer].first); n; n = df_tm_read(&n->next), made--) {
        vacation_offer *o = vacation_find(df_tm_read(&n->key));
        df_tm_write(&o->used, df_tm_read(&o->used) - 1);
    }
    list_clear(&the_vacation.reserved[customer]);
    return made;
}

static inline void vacation_change(uint64_t x)
{
    for (int i = 0; i < VACATION_CHANGES; i++) {
        const int kind = (int)((x = bench_mix(x)) % VACATION_KINDS);
        const long number = (long)(x >> 32) % VACATION_OFFERS;
        vacation_offer *o = &the_vacation.offer[kind][number];
        if (x >> 16 & 1) {
            tree_insert(&the_vacation.offered[kind], number);
            df_tm_write(&o->total, df_tm_read(&o->total) + 1);
            df_tm_write(&o->price, 1 + (long)(x >> 20 & 0xff));
        } else if (df_tm_read(&o->used) == 0 && tree_remove(&the_vacation.offered[kind], number))
            df_tm_write(&o->total, 0);
    }
}

static STM_CALL long vacation_do(long i)
{
    const uint64_t x = bench_mix((uint64_t)i);
    long made = 0;
    BLOCK
        if ((x >> 32 & 15) < 13) made = vacation_reserve(x);
        else if ((x >> 32 & 15) < 15) made = vacation_remove(x);
        else made = 0, vacation_change(x);
    BLOCK_END
    return made;
}
static void vacation_run(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) w->added += vacation_do(i);
}

static outcome vacation(long n)
{
    outcome o = { 0, n / 16, bench_mix((uint64_t)n) };
    worker all;
    long used = 0, offers = 0, customers = 0;
    the_vacation.offer = (vacation_offer (*)[VACATION_OFFERS])bench_alloc(VACATION_KINDS, sizeof *the_vacation.offer);
    the_vacation.reserved = (list *)bench_alloc(VACATION_CUSTOMERS, sizeof(list));
    for (long i = 0; i < VACATION_KINDS * VACATION_OFFERS; i++) {
        const long key = i * 12289 % (VACATION_KINDS * VACATION_OFFERS);  /* each once */
        const uint64_t x = bench_mix((uint64_t)key);
        vacation_find(key)->total = 1 + (long)(x % 4), vacation_find(key)->price = 1 + (long)(x >> 32 & 0xff);
        tree_insert(&the_vacation.offered[key / VACATION_OFFERS], key % VACATION_OFFERS);
    }
    o.seconds = work_all(vacation_run, o.tasks, 1, 0, 0, &all);
    for (long c = 0; c < VACATION_CUSTOMERS; c++) {
        list *l = &the_vacation.reserved[c];
        must(list_check(l) >= 0 && tree_contains(&the_vacation.customers, c) == !!l->first, "vacation: customer");
        customers += l->first != NULL, used += list_check(l);
        for (list_node *k = l->first; k; k = k->next) vacation_find(k->key)->used--;
        list_clear(l);
    }
    must(tree_check(&the_vacation.customers) == customers && used == all.added, "vacation: customers or reservations");
    tree_clear(&the_vacation.customers);
    for (long key = 0; key < VACATION_KINDS * VACATION_OFFERS; key++) {
        tree *t = &the_vacation.offered[key / VACATION_OFFERS];
        must(vacation_find(key)->used == 0, "vacation: reservations of an offer");
        must(tree_contains(t, key % VACATION_OFFERS) == (vacation_find(key)->total > 0), "vacation: offer");
        offers += vacation_find(key)->total > 0;
    }
    for (int kind = 0; kind < VACATION_KINDS; kind++) {
        offers -= tree_check(&the_vacation.offered[kind]);
        tree_clear(&the_vacation.offered[kind]);
    }
    must(offers == 0, "vacation: map of offers");
    free(the_vacation.offer);
    free(the_vacation.reserved);
    return o;
}
#endif

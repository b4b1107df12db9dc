/* intruder: packets, fragments of flows, come from a queue. A block adds each to its flow in a map, and moves a
 * complete flow to another queue. Threads take flows from there, and search them for the signature of an attack.
 *
 * A task is a packet, and up to three blocks. */
#ifndef STM_INTRUDER_H
#define STM_INTRUDER_H

#include "../../examples/stm/list.h"
#include "../../examples/stm/queue.h"

enum { INTRUDER_PIECES = 16, INTRUDER_BYTES = 16 };      /* at most, of a flow; of a piece */
typedef char intruder_text[INTRUDER_PIECES * INTRUDER_BYTES];
static const char intruder_signature[] = "ATTACK";

typedef struct intruder_flow {
    struct intruder_flow *next;
    long number, missing;                         /* pieces that have not come */
    list pieces;
} intruder_flow;
static struct {
    queue packets, complete;                      /* packet: number of the flow * PIECES + number of the piece */
    long flows;                                   /* as many chains */
    intruder_flow **chain;
    intruder_text *text;
} the_intruder;

static inline long intruder_pieces(long flow) { return 1 + (long)(bench_mix((uint64_t)flow) % INTRUDER_PIECES); }

static inline void intruder_join(long packet)
{
    const long number = packet / INTRUDER_PIECES;
    intruder_flow **link = &the_intruder.chain[bench_mix((uint64_t)number) % (uint64_t)the_intruder.flows], *f;
    long missing;
    while ((f = df_tm_read(link)) != NULL && df_tm_read(&f->number) != number) link = &f->next;
    if (!f) {
        f = (intruder_flow *)df_tm_malloc(sizeof *f);
        if (!f) return;
        f->next = NULL, f->number = number, f->missing = intruder_pieces(number), f->pieces.first = NULL;
        df_tm_write(link, f);
    }
    list_insert(&f->pieces, packet % INTRUDER_PIECES);
    missing = df_tm_read(&f->missing) - 1;
    df_tm_write(&f->missing, missing);
    if (missing) return;
    df_tm_write(link, df_tm_read(&f->next));
    queue_try_put(&the_intruder.complete, (long)(intptr_t)f);
}

/* Takes a complete flow, with the numbers of its pieces in order. -1: there is none. */
static inline long intruder_leave(char *piece)
{
    intruder_flow *f;
    list_node *n, *next;
    long item, number;
    if (!queue_try_take(&the_intruder.complete, &item)) return -1;
    f = (intruder_flow *)(intptr_t)item;
    number = df_tm_read(&f->number);
    for (n = df_tm_read(&f->pieces.first); n; n = next) {
        *piece++ = (char)df_tm_read(&n->key);
        next = df_tm_read(&n->next);
        df_tm_free(n);
    }
    df_tm_free(f);
    return number;
}

static STM_CALL long intruder_next(void)
{
    long packet = -1;
    BLOCK if (!queue_try_take(&the_intruder.packets, &packet)) packet = -1; BLOCK_END
    return packet;
}
static STM_CALL void intruder_add(long packet)
{
    BLOCK intruder_join(packet); BLOCK_END
}
static STM_CALL long intruder_take(char *piece)
{
    long flow = -1;
    BLOCK flow = intruder_leave(piece); BLOCK_END
    return flow;
}

static int intruder_detect(long flow, const char *piece)
{
    intruder_text text;
    const long n = intruder_pieces(flow), length = sizeof intruder_signature - 1;
    for (long i = 0; i < n; i++)
        memcpy(text + i * INTRUDER_BYTES, the_intruder.text[flow] + piece[i] * INTRUDER_BYTES, INTRUDER_BYTES);
    for (long i = 0; i + length <= n * INTRUDER_BYTES; i++)
        if (text[i] == *intruder_signature && !memcmp(text + i, intruder_signature, (size_t)length)) return 1;
    return 0;
}
static void intruder_run(void *p)
{
    worker *w = (worker *)p;
    char piece[INTRUDER_PIECES] = { 0 };
    long packet, flow;
    while ((packet = intruder_next()) >= 0) {
        intruder_add(packet);
        if ((flow = intruder_take(piece)) < 0) continue;
        w->added++;
        w->sum += intruder_detect(flow, piece);
    }
}

static outcome intruder(long n)
{
    const long flows = the_intruder.flows = n / 64 + 1, length = sizeof intruder_signature - 1;
    outcome o = { 0, 0, 0 };
    worker all;
    long attacks = 0, left = 0, *item;
    uint64_t x = 1;
    the_intruder.chain = (intruder_flow **)bench_alloc((size_t)flows, sizeof *the_intruder.chain);
    the_intruder.text = (intruder_text *)bench_alloc((size_t)flows, sizeof *the_intruder.text);
    must(queue_init(&the_intruder.packets, flows * INTRUDER_PIECES), "intruder: no memory");
    must(queue_init(&the_intruder.complete, flows), "intruder: no memory");
    item = the_intruder.packets.item;
    for (long f = 0; f < flows; f++) {
        const long pieces = intruder_pieces(f), bytes = pieces * INTRUDER_BYTES, attack = bench_mix((uint64_t)f) >> 63;
        char *text = the_intruder.text[f];
        for (long i = 0; i < bytes; i++) text[i] = (char)('A' + (x = bench_mix(x)) % 16);  /* without T */
        if (attack) memcpy(text + (x >> 8) % (uint64_t)(bytes - length + 1), intruder_signature, (size_t)length);
        attacks += attack;
        for (long i = 0; i < pieces; i++) queue_try_put(&the_intruder.packets, f * INTRUDER_PIECES + i);
    }
    o.tasks = the_intruder.packets.put;
    for (long i = o.tasks - 1; i > 0; i--) {
        const long other = (long)((x = bench_mix(x)) % (uint64_t)(i + 1)), packet = item[i];
        item[i] = item[other], item[other] = packet;
    }
    o.seconds = work_all(intruder_run, flows, 1, 0, 0, &all);
    for (long f = 0; f < flows; f++) left += the_intruder.chain[f] != NULL;
    must(left == 0 && all.added == flows, "intruder: a flow is not complete");
    must(all.sum == attacks, "intruder: attacks");
    o.sum = bench_mix((uint64_t)attacks);
    free(the_intruder.chain);
    free(the_intruder.text);
    free(item);
    free(the_intruder.complete.item);
    return o;
}
#endif

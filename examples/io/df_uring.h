/* df_uring.h - io_uring by system calls: a ring of operations that the kernel executes (Linux 5.6 and later)
 *
 * df_io.h is built on it. The structures are those of linux/io_uring.h, which is not needed. The kernel and the program
 * share two rings: the program appends operations to the first one, the kernel appends their results to the second one.
 * Source: io_uring_setup(2), io_uring_enter(2); J. Axboe, Efficient IO with io_uring. */
#ifndef DF_URING_H
#define DF_URING_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* syscall, MAP_POPULATE; no effect after the first header of the system */
#endif
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DF_URING_NOP = 0, DF_URING_ACCEPT = 13, DF_URING_CANCEL = 14, DF_URING_READ = 22, DF_URING_WRITE = 23 };

typedef struct {
    uint8_t opcode, flags;
    uint16_t priority;
    int32_t file;
    uint64_t at, memory;
    uint32_t bytes, more;
    uint64_t tag, unused[3];
} df_uring_operation;
typedef struct {
    uint64_t tag;
    int32_t result; /* of the system call; negative: the number of an error */
    uint32_t flags;
} df_uring_result;
typedef struct {
    uint32_t entries, results, flags, cpu, idle, features, other, unused[3];
    struct { uint32_t head, tail, mask, entries, flags, dropped, array, unused; uint64_t address; } sent;
    struct { uint32_t head, tail, mask, entries, overflow, result, flags, unused; uint64_t address; } got;
} df_uring_setup;

typedef struct {
    int file;
    uint32_t *tail, *array, mask;                   /* of the operations */
    uint32_t *got_head, *got_tail, got_mask;        /* of the results */
    df_uring_operation *operation;
    df_uring_result *result;
    void *rings;
    size_t rings_bytes, operations_bytes;
} df_uring;

static inline void df_uring_close(df_uring *r)
{
    if (r->operation) munmap(r->operation, r->operations_bytes);
    if (r->rings) munmap(r->rings, r->rings_bytes);
    close(r->file);
}

static inline void *df_uring_map(const df_uring *r, size_t bytes, long at)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->file, (off_t)at);
    return p == MAP_FAILED ? NULL : p;
}

/* A ring for `most` operations at a time, 1 to 4096. 0, or the number of an error: containers and old systems refuse
 * it (EPERM, ENOSYS), others beyond a limit (ENOMEM, EMFILE). */
static inline int df_uring_open(df_uring *r, unsigned most)
{
#ifdef __alpha__
    enum { SETUP = 535 };
#else
    enum { SETUP = 425 }; /* the same on all other processors, also where sys/syscall.h is older */
#endif
    enum { NEEDED = 1 | 2 | 8 }; /* one mapping; no result is lost; reads at the current position */
    df_uring_setup s;
    size_t bytes;
    memset(&s, 0, sizeof s);
    memset(r, 0, sizeof *r);
    r->file = (int)syscall(SETUP, most, &s);
    if (r->file < 0) return errno;
    if ((s.features & NEEDED) != NEEDED) {
        close(r->file);
        return ENOSYS;
    }
    r->rings_bytes = s.sent.array + s.entries * sizeof(uint32_t);
    bytes = s.got.result + s.results * sizeof(df_uring_result);
    if (bytes > r->rings_bytes) r->rings_bytes = bytes;
    r->operations_bytes = s.entries * sizeof(df_uring_operation);
    r->rings = df_uring_map(r, r->rings_bytes, 0);
    r->operation = r->rings ? (df_uring_operation *)df_uring_map(r, r->operations_bytes, 0x10000000) : NULL;
    if (!r->operation) {
        df_uring_close(r);
        return ENOMEM;
    }
    char *ring = (char *)r->rings;
    r->tail = (uint32_t *)(void *)(ring + s.sent.tail);
    r->array = (uint32_t *)(void *)(ring + s.sent.array);
    r->mask = *(uint32_t *)(void *)(ring + s.sent.mask);
    r->got_head = (uint32_t *)(void *)(ring + s.got.head);
    r->got_tail = (uint32_t *)(void *)(ring + s.got.tail);
    r->got_mask = *(uint32_t *)(void *)(ring + s.got.mask);
    r->result = (df_uring_result *)(void *)(ring + s.got.result);
    return 0;
}

/* Gives operations to the kernel, and waits for results. A number, or the negative number of an error. */
static inline int df_uring_enter(const df_uring *r, unsigned send, unsigned wait)
{
#ifdef __alpha__
    enum { ENTER = 536 };
#else
    enum { ENTER = 426 };
#endif
    enum { WITH_RESULTS = 1 };
    long n = syscall(ENTER, r->file, send, wait, wait ? WITH_RESULTS : 0, NULL, 0);
    return n < 0 ? -errno : (int)n;
}

/* Sends one operation. 0, or the negative number of an error; then nothing was sent. Threads: one at a time. */
static inline int df_uring_send(df_uring *r, const df_uring_operation *o)
{
    enum { TIMES = 1000 }; /* of 1 ms: then the kernel has no memory for operations */
    uint32_t tail = *r->tail, i = tail & r->mask;
    int n = 0;
    r->operation[i] = *o;
    r->array[i] = i;
    __atomic_store_n(r->tail, tail + 1, __ATOMIC_RELEASE); /* pairs with the acquire of the kernel */
    for (int k = 0; k < TIMES; k++) {
        n = df_uring_enter(r, 1, 0);
        if (n == 1) return 0;
        if (n < 0 && n != -EINTR && n != -EAGAIN && n != -EBUSY) break;
        if (n != -EINTR) usleep(1000);
    }
    /* The kernel reads the ring only during the calls above, so the entry of the operation can be removed. */
    __atomic_store_n(r->tail, tail, __ATOMIC_RELEASE);
    return n < 0 ? n : -EAGAIN;
}

/* Waits for the next result. Threads: one. */
static inline df_uring_result df_uring_receive(df_uring *r)
{
    uint32_t head = *r->got_head; /* only this thread writes it */
    while (head == __atomic_load_n(r->got_tail, __ATOMIC_ACQUIRE)) /* pairs with the release of the kernel */
        (void)df_uring_enter(r, 0, 1); /* after an error, such as EINTR, again */
    df_uring_result got = r->result[head & r->got_mask];
    __atomic_store_n(r->got_head, head + 1, __ATOMIC_RELEASE); /* pairs with the acquire of the kernel */
    return got;
}

#endif

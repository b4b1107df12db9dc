/* explore.h - runs parts of the implementation under a simulator of the C11 memory model, and weakens their orders
 *
 * Included in place of impl/base/atomic.h: each atomic access of the files included after it is executed by relacy,
 * which switches between threads there, and lets a load see any value that the model allows. An atomic object is
 * found by its address, and memory has its last value, for plain accesses. Each access in the text of the implementation
 * is a `place`; at one place the order can be weakened.
 *
 * A program defines the four functions explore_..() declared below, prepare() and scenarios: see stm.cpp. */
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* of <relacy/relacy.hpp>, which redefines pthread_mutex_t, new, free and others */
#include <relacy/base.hpp>
#include <relacy/context.hpp>
#include <relacy/context_base_impl.hpp>
#include <relacy/backoff.hpp>
#include <relacy/atomic.hpp>
#include <relacy/var.hpp>
#include <relacy/thread_local.hpp>
#include <relacy/test_suite.hpp>
#include <relacy/dyn_thread.hpp>
#include <relacy/stdlib/mutex.hpp>
#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/semaphore.hpp>
#include <relacy/stdlib/event.hpp>

namespace explore {

enum kind { LOAD, STORE, CHANGE };

/* An atomic access in the text of the implementation. */
struct place {
    const char *file;
    int line;
    const char *function, *access, *object;
    kind what;
    rl::memory_order order;
    place *next;
    bool known;
};

static place *places;    /* those that an execution has reached */
static place *weakened;  /* or NULL; with this order: */
static rl::memory_order weaker;
static bool running;     /* an execution is simulated */

static const char *name(rl::memory_order o)
{
    static const char *const names[] = { "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst" };
    return names[o];
}

/* The orders that are one step weaker than that of a place. */
static std::vector<rl::memory_order> steps(const place &s)
{
    using namespace rl;
    if (s.order == mo_relaxed || !std::strstr(s.file, "impl/")) return {};
    if (s.order == mo_acq_rel) return { mo_acquire, mo_release };
    if (s.order != mo_seq_cst) return { mo_relaxed };
    return { s.what == LOAD ? mo_acquire : s.what == STORE ? mo_release : mo_acq_rel };
}

/* --- the variables of a thread: the simulated ones share those of one real thread --------------------- */

} // namespace explore
static void explore_save(void *here);          /* to at most explore::HERE bytes */
static void explore_restore(const void *here);
static bool explore_plain(const volatile void *p); /* accesses to it are not simulated */
static bool explore_freed(const volatile void *p); /* no thread may access it any more */
namespace explore {

static unsigned burst; /* of this execution: accesses of a thread on end, on average */

/* Around an access, where another thread may be next. */
enum { HERE = 64 };
struct switched {
    alignas(16) char here[HERE];
    bool stays;
    switched() : stays(rl::rand(burst) != 0)
    {
        explore_save(here);
        if (stays) rl::ctx().disable_preemption();
    }
    ~switched()
    {
        if (stays) rl::ctx().enable_preemption();
        explore_restore(here);
    }
};

/* --- atomic objects ------------------------------------------------------------------------------------ */

/* The value of an atomic object, whatever its type. That of a new one is what memory has. */
struct value {
    uint64_t bits;
    static uint64_t first;
    value() : bits(first) {}
    explicit value(uint64_t x) : bits(x) {}
    bool operator==(const value &x) const { return bits == x.bits; }
};
uint64_t value::first;
static std::ostream &operator<<(std::ostream &s, const value &x) { return s << "0x" << std::hex << x.bits << std::dec; }

typedef rl::generic_atomic<value, true> object;

enum { MOST = 1024 };
struct entry { const volatile void *at; size_t bytes; bool made; alignas(16) char room[sizeof(object)]; };
static entry entries[MOST]; /* a hash table; its addresses are those of all executions so far */
static size_t used;

static void fail(const char *what)
{
    std::printf("  %s\n", what);
    std::fflush(stdout);
    if (std::getenv("EXPLORE_HISTORY")) RL_ASSERT_IMPL(false, rl::test_result_user_assert_failed, what, $);
    _exit(1);
}

template <class T> static uint64_t bits_of(T x)
{
    uint64_t bits = 0;
    static_assert(sizeof x <= sizeof bits, "");
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}
template <class T> static T of_bits(uint64_t bits)
{
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

static void make(entry &e)
{
    value::first = 0;
    std::memcpy(&value::first, const_cast<const void *>(e.at), e.bytes);
    ::new (static_cast<void *>(e.room)) object;
    e.made = true;
}

static object &object_at(const volatile void *p, size_t bytes)
{
    size_t i = (reinterpret_cast<uintptr_t>(p) >> 2) * 0x9E3779B97F4A7C15u >> 54;
    while (entries[i].at && entries[i].at != p) i = (i + 1) % MOST;
    entry &e = entries[i];
    if (!e.at) {
        e.at = p, e.bytes = bytes;
        if (++used == MOST) fail("too many atomic objects"); /* one entry stays free, for the search */
    }
    if (e.bytes != bytes) fail("an object is accessed in two sizes");
    if (!e.made) make(e);
    return *reinterpret_cast<object *>(e.room);
}

static void begin_objects()
{
    burst = 1u << 2 * rl::rand(4);
    for (entry &e : entries)
        if (e.at) {
            make(e);
            /* the value of a store, which a load may see after a later one; relacy never shows a first value so */
            reinterpret_cast<object *>(e.room)->store(value(), rl::mo_relaxed, $);
        }
}
static void end_objects()
{
    for (entry &e : entries)
        if (e.made) reinterpret_cast<object *>(e.room)->~object(), e.made = false;
}

/* --- accesses ------------------------------------------------------------------------------------------ */

static rl::memory_order order_of(place &s)
{
    if (!s.known) s.known = true, s.next = places, places = &s;
    return &s == weakened ? weaker : s.order;
}
static rl::debug_info where(const place &s) { return rl::debug_info(s.function, s.file, (unsigned)s.line); }

/* Is an access to p simulated? */
static bool simulated(const volatile void *p)
{
    if (!running || explore_plain(p)) return false;
    if (explore_freed(p)) fail("memory is accessed that was freed");
    return true;
}

template <class T> static T load(const volatile T *p, place &s)
{
    if (!simulated(p)) return *p;
    switched keep;
    return of_bits<T>(object_at(p, sizeof *p).load(order_of(s), where(s)).bits);
}
template <class T> static void store(volatile T *p, typename std::common_type<T>::type x, place &s)
{
    if (!simulated(p)) {
        *p = x;
        return;
    }
    switched keep;
    object_at(p, sizeof *p).store(value(bits_of<T>(x)), order_of(s), where(s));
    *p = x;
}
template <class T> static bool cas(volatile T *p, T *expect, typename std::common_type<T>::type x, place &s)
{
    if (!simulated(p)) {
        if (*p != *expect) return *expect = *p, false;
        return *p = x, true;
    }
    switched keep;
    rl::memory_order o = order_of(s);
    rl::memory_order lost = o == rl::mo_acq_rel ? rl::mo_acquire : o == rl::mo_release ? rl::mo_relaxed : o;
    value e(bits_of<T>(*expect));
    if (object_at(p, sizeof *p).compare_exchange_strong(e, value(bits_of<T>(x)), o, where(s), lost, where(s)))
        return *p = x, true;
    return *expect = of_bits<T>(e.bits), false;
}
/* Any other change of *p, to(*p). */
template <class T, class F> static T change(volatile T *p, F to, place &s)
{
    if (!simulated(p)) {
        T old = *p;
        return *p = to(old), old;
    }
    switched keep;
    object &o = object_at(p, sizeof *p);
    value e = o.debug_value();
    while (!o.compare_exchange_strong(e, value(bits_of<T>(to(of_bits<T>(e.bits)))), order_of(s), where(s),
                                      rl::mo_relaxed, where(s))) continue;
    T old = of_bits<T>(e.bits);
    return *p = to(old), old;
}
template <class T> static T exchange(volatile T *p, typename std::common_type<T>::type x, place &s)
{
    return change<T>(p, [x](T) { return x; }, s);
}
template <class T, class V> static T add(volatile T *p, V n, place &s)
{
    return change<T>(p, [n](T x) { return static_cast<T>(x + n); }, s);
}

/* A processor that spins gives way to other threads. */
static void pause()
{
    if (!running) return;
    alignas(16) char here[HERE];
    explore_save(here);
    rl::yield(1, $);
    explore_restore(here);
}

} // namespace explore

#define EXPLORE_PLACE(what, access, order, p) \
    static explore::place explore_place = { __FILE__, __LINE__, __func__, access, p, explore::what, rl::mo_##order, 0, 0 };
#define EXPLORE_LOAD(p, order) \
    ({ EXPLORE_PLACE(LOAD, "load", order, #p) explore::load((p), explore_place); })
#define EXPLORE_STORE(p, v, order) \
    ({ EXPLORE_PLACE(STORE, "store", order, #p) explore::store((p), (v), explore_place); })
#define EXPLORE_CAS(p, e, v, order) \
    ({ EXPLORE_PLACE(CHANGE, "cas", order, #p) explore::cas((p), (e), (v), explore_place); })
#define EXPLORE_EXCHANGE(p, v, order) \
    ({ EXPLORE_PLACE(CHANGE, "exchange", order, #p) explore::exchange((p), (v), explore_place); })
#define EXPLORE_ADD(name, p, v, order) \
    ({ EXPLORE_PLACE(CHANGE, name, order, #p) explore::add((p), (v), explore_place); })

/* impl/base/atomic.h */
#define DFI_BASE_ATOMIC_H
enum { DFI_ALONE = 0 };
#define DFI_COMPILER_BARRIER()        ((void)0)
#define DFI_ATOMIC(T)                 T
#define dfi_load_relaxed(p)           EXPLORE_LOAD(p, relaxed)
#define dfi_load_acquire(p)           EXPLORE_LOAD(p, acquire)
#define dfi_load_seq_cst(p)           EXPLORE_LOAD(p, seq_cst)
#define dfi_store_relaxed(p, v)       EXPLORE_STORE(p, v, relaxed)
#define dfi_store_release(p, v)       EXPLORE_STORE(p, v, release)
#define dfi_store_seq_cst(p, v)       EXPLORE_STORE(p, v, seq_cst)
#define dfi_cas_release(p, e, v)      EXPLORE_CAS(p, e, v, release)
#define dfi_cas_acq_rel(p, e, v)      EXPLORE_CAS(p, e, v, acq_rel)
#define dfi_cas_seq_cst(p, e, v)      EXPLORE_CAS(p, e, v, seq_cst)
#define dfi_exchange_acq_rel(p, v)    EXPLORE_EXCHANGE(p, v, acq_rel)
#define dfi_exchange_seq_cst(p, v)    EXPLORE_EXCHANGE(p, v, seq_cst)
#define dfi_swap_acq_rel(p, v)        EXPLORE_EXCHANGE(p, v, acq_rel)
#define dfi_swap_seq_cst(p, v)        EXPLORE_EXCHANGE(p, v, seq_cst)
#define dfi_fetch_add_relaxed(p, v)   EXPLORE_ADD("fetch_add", p, v, relaxed)
#define dfi_fetch_add_acq_rel(p, v)   EXPLORE_ADD("fetch_add", p, v, acq_rel)
#define dfi_fetch_add_seq_cst(p, v)   EXPLORE_ADD("fetch_add", p, v, seq_cst)
#define dfi_fetch_sub_acq_rel(p, v)   EXPLORE_ADD("fetch_sub", p, 0 - (v), acq_rel)
#define dfi_fetch_sub_seq_cst(p, v)   EXPLORE_ADD("fetch_sub", p, 0 - (v), seq_cst)
/* of impl/api/stm_access.h, for values of any type */
#define __atomic_load(p, to, order)   (*(to) = EXPLORE_LOAD(p, acquire))

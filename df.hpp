/* df.hpp - loops, reductions, fork-join and tasks of C++ lambdas, as a header library
 *
 * WHAT  df::for_each, df::reduce, df::spawn, df::submit and df::async take the code as a lambda, where df.h takes the
 *       name of a function that a line declares. C++11 and later. Everything of df.h is there as well, and both can be
 *       mixed.
 *
 * DO THIS
 *       #include "df.hpp"              which includes df.h. The implementation is that of df.h: DF_IMPLEMENTATION in
 *                                      ONE C or C++ file, before df.h or this header
 *
 * A COMPLETE PROGRAM
 *       #define DF_IMPLEMENTATION
 *       #include "df.hpp"
 *       #include <cstdio>
 *       #include <vector>
 *
 *       static long fib(long n)
 *       {
 *           if (n < 2) return n;
 *           auto a = df::spawn([=] { return fib(n - 1); });
 *           long b = fib(n - 2);
 *           return a.sync() + b;
 *       }
 *       int main()
 *       {
 *           std::vector<double> x(1000000);
 *           df::for_each(0, 1000000, [&](long i) { x[i] = 0.5 * i; });
 *           double sum = df::reduce(0, 1000000, 0.0, [&](long i) { return x[i]; });
 *           df::submit([](double *p) { p[0] = 7; }, df::inout(x));
 *           auto first = df::async([](const double *p) { return p[0]; }, df::in(x));
 *           std::printf("%ld %.1f %.1f\n", fib(38), sum, first.get());
 *       }
 *
 * SECTIONS  search for >>lambdas  >>licence (last) */
#ifndef DF_HPP
#define DF_HPP

#if !defined(__cplusplus) || __cplusplus < 201103L
#error "df.hpp: this header is for C++11 and later; C includes df.h"
#endif
#include "df.h"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif
DFI_BEGIN

/* ------------------------------------------------------------------------------------- >>lambdas
 * Lambdas of C++
 *
 *   df::for_each(lo, hi, f);       calls f(i) for lo <= i < hi on all workers, and waits. As df_for of df.h: calls
 *             run concurrently, and chunk sizes adapt. i, lo and hi are long.
 *   df::for_each(first, last, f);  with random access iterators, or pointers: calls f(*p) for each p from first to
 *             before last
 *   df::for_each_range(lo, hi, f); calls f(b, e) for chunks [b, e) of [lo, hi), for bodies with something to set up
 *   T df::reduce(lo, hi, init, f);  T df::reduce(lo, hi, init, f, op);   returns op(init, f(lo), ..., f(hi - 1)),
 *             combined in any order and grouping; op: std::plus<T>() by default. T is the type of init: any type that
 *             can be moved, and that f(i) converts to. As op(T, T) is called in any order, it is associative and
 *             commutative. With .deterministic (or df_config.deterministic) it is called in the order of the
 *             iterations, need only be associative, and the result has the same bits for any number of workers.
 *   df::for_each(opts, ...);  df::for_each_range(opts, ...);  df::reduce(opts, ...)   the same with options:
 *             df::for_each(DF_LOOP_OPTS(.grain = 64), 0, n, f)
 *   auto t = df::spawn(f);         from now on f() may run on another worker; f is moved or copied into t
 *   R t.sync();                    returns what f() returned; runs it on this thread if no other worker took it. Once,
 *             by the function that spawned it, before t is destroyed. As df_sync: the latest spawn first is fastest.
 *   df::submit(f, accesses...);    submits a task that calls f, after earlier tasks whose accesses conflict with its
 *             own, as df_submit of df.h; f is moved or copied into the task. Waits: df_wait, DF_PARALLEL and others of
 *             df.h. An access is one of
 *             df::in(x)          x: an object; an array of C; a container with data() and size(), such as std::vector;
 *                                a view, such as std::span, or one with data_handle(), such as std::mdspan, of one or
 *                                two dimensions: all bytes from its first to its last element, row by row
 *             df::in(p, n)       n elements at p
 *             df::in2(p, rows, columns, ld)   a block of a matrix whose rows are ld elements apart
 *             and as these df::out, inout, commute, concurrent, weak_in and weak_inout, for df_out and so on of df.h.
 *             f is called with its accesses in their order: T & for an object, T * for an array, a container, p and a
 *             block, and a view for a view; with const T for df::in and weak_in. These are the addresses that count if
 *             df gives an output other memory (df_config.rename_bytes). If that call is impossible, f() is called, and
 *             finds the memory by what it has captured.
 *   df::future<R> t = df::async(f, accesses...);   the same, with the result of f; R is its type, without reference
 *   R t.get();      waits for the task and its descendants, and returns the result, once. Throws what f has thrown, or
 *             df::error, whose code() is as from df_wait_task, if the task has not run. Without exceptions in the
 *             compiler it ends the program then
 *   t.wait();  bool t.done();  bool t.valid();   wait only; has the task ended?; is there a task, and no get() so far?
 *             A future can be moved. Its destructor waits for the task
 *   df::submit(opts, f, accesses...);  df::async(opts, f, accesses...);   the same with options, as in
 *             df::submit(DF_OPTS(.priority = 1), f, df::inout(x)). async sets .handle, and neither has .result
 *
 *     f may be any object that can be called, and is called as const by loops: by several threads at a time. An
 *     exception in it leaves the call of df, or sync, as with df.h (docs/cxx.md). Variables that f captures by
 *     reference must exist until the call, or sync, returns.
 *     What a loop remembers of the last ones, to run short loops on the calling thread, is kept for each lambda: give
 *     each loop its own. So is its name in messages, statistics and traces: function:line of the first call.
 *     An exception in a task of submit or async leaves the wait for its scope as well, and tasks of that scope that
 *     have not begun are skipped, as with df.h. A task graph cannot capture a task with a future
 *     (DF_ERROR_TASKGRAPH).
 *     Errors: an access to something else, to a temporary object, or that writes to constant elements; an f that
 *     cannot be called in either way; more than 16 accesses: static assertions that name what to change.
 *     Threads: any.
 *     Cost: a loop as df_for; spawn and sync together about 2 ns more than df_spawn and df_sync in C; submit as
 *     df_submit; an f that is not trivially copyable one allocation, async another one and a handle. */

namespace df {
DFI_CXX_BEGIN

/* Where a construct is called. */
struct dfi_where {
    const char *file, *function;
    int line;
#if defined(__GNUC__) && (!defined(__clang__) || __clang_major__ >= 9)
    static dfi_where here(const char *a = __builtin_FILE(), const char *b = __builtin_FUNCTION(),
                          int c = __builtin_LINE())
    {
        return dfi_where{a, b, c};
    }
#else
    static dfi_where here() { return dfi_where{"lambda", "lambda", 0}; }
#endif
};

/* The name and the site of a lambda. */
struct dfi_lambda {
    char name[64], site[128];
    explicit dfi_lambda(const dfi_where &at)
    {
        const char *base = at.file;
        for (const char *p = at.file; *p; p++) /* the end of a path that is too long */
            if (p - base > 110) base++;
        std::snprintf(name, sizeof name, "%.50s:%d", at.function, at.line);
        std::snprintf(site, sizeof site, "%s:%d", base, at.line);
    }
};

/* --- loops ---------------------------------------------------------------------------------------------- */

/* What a loop with bodies of type F needs, one for each type. args: the arguments of its parts. */
template <class dfi_f, class args> struct dfi_lambda_loop : dfi_lambda {
    dfi_loop_type type;
    dfi_lambda_loop(const dfi_where &at, unsigned modes)
        : dfi_lambda(at), type{run, name, sizeof(args), 1, modes} {}
    static void run(const long *bounds, void *p)
    {
        const args *a = static_cast<const args *>(p);
        DFI_TRY
        DFI_BODY_BEGIN(a->of->name, a->of->site)
        a->run(bounds[0], bounds[1]);
        DFI_BODY_END
        DFI_CATCH(return)
    }
    void go(const df_loop *o, long lo, long hi, args &a, dfi_access *x, unsigned n)
    {
        const long bounds[] = { lo, hi };
        a.of = this;
        dfi_needs_more();
        DFI_CALL_FOR(&type, o, NULL, site, bounds, static_cast<void *>(&a), x, n);
    }
};

template <class dfi_f> struct dfi_range_args {
    const dfi_lambda *of;
    const dfi_f *f;
    void run(long lo, long hi) const { (*f)(lo, hi); }
};

/* The number of iterations of a part, which is not empty. */
inline unsigned long dfi_count(long lo, long hi, long step)
{
    unsigned long first = static_cast<unsigned long>(lo), end = static_cast<unsigned long>(hi);
    unsigned long by = static_cast<unsigned long>(step);
    return step > 0 ? (end - first - 1) / by + 1 : (first - end - 1) / (0 - by) + 1;
}
/* A part of a loop copies a small body, so that the compiler knows that nothing else changes what it has captured. Its
 * result and argument are converted as the body wants. */
template <class dfi_f, bool = std::is_function<dfi_f>{}> struct dfi_body {
    typedef typename std::conditional<std::is_trivially_copyable<dfi_f>{} && sizeof(dfi_f) <= 64, const dfi_f,
                                      const dfi_f &>::type of;
};
template <class dfi_f> struct dfi_body<dfi_f, true> { typedef const dfi_f &of; };
template <class dfi_f> using dfi_body_of = typename dfi_body<dfi_f>::of;
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wconversion"
#endif

/* Calls f(i) for n iterations. */
template <class dfi_f> DFI_MEMBER void dfi_each(const dfi_f &f, long lo, unsigned long n, long step)
{
    unsigned long i = static_cast<unsigned long>(lo);
    const long hi = static_cast<long>(i + n);
    if (step == 1 && hi > lo)
        for (; lo < hi; lo++) f(lo);
    else /* also numbers above LONG_MAX, of df_loop.unsigned_range */
        for (; n; n--, i += static_cast<unsigned long>(step)) f(static_cast<long>(i));
}

template <class dfi_f> struct dfi_each_args {
    const dfi_lambda *of;
    const dfi_f *f;
    long step;
    void run(long lo, long hi) const
    {
        dfi_body_of<dfi_f> g = *f;
        dfi_each(g, lo, dfi_count(lo, hi, step), step);
    }
};

/* Options are a pointer: not the 0 with which a range may begin. */
template <class dfi_o>
using dfi_if_options =
    typename std::enable_if<std::is_pointer<dfi_o>{} && std::is_convertible<dfi_o, const df_loop *>{}>::type;

inline long dfi_step(const df_loop *o) { return o && o->step ? o->step : 1; }

template <class dfi_o, class dfi_f, class = dfi_if_options<dfi_o>>
void for_each_range(dfi_o opts, long lo, long hi, const dfi_f &f, dfi_where at = dfi_where::here())
{
    static dfi_lambda_loop<dfi_f, dfi_range_args<dfi_f>> loop(at, 0);
    dfi_range_args<dfi_f> a = { NULL, &f };
    loop.go(opts, lo, hi, a, NULL, 0);
}
template <class dfi_f> void for_each_range(long lo, long hi, const dfi_f &f, dfi_where at = dfi_where::here())
{
    for_each_range(static_cast<const df_loop *>(NULL), lo, hi, f, at);
}

template <class dfi_f> void dfi_for_each(const df_loop *opts, long lo, long hi, const dfi_f &f, const dfi_where &at)
{
    static dfi_lambda_loop<dfi_f, dfi_each_args<dfi_f>> loop(at, 0);
    dfi_each_args<dfi_f> a = { NULL, &f, dfi_step(opts) };
    loop.go(opts, lo, hi, a, NULL, 0);
}

/* The elements from `first` on. */
template <class dfi_i, class dfi_f> struct dfi_elements {
    dfi_i first;
    dfi_body_of<dfi_f> f;
    void operator()(long i) const { f(first[static_cast<typename std::iterator_traits<dfi_i>::difference_type>(i)]); }
};
template <class dfi_i, class dfi_f>
void dfi_for_each(const df_loop *opts, const dfi_i &first, const dfi_i &last, const dfi_f &f, const dfi_where &at)
{
    typedef std::iterator_traits<dfi_i> of;
    static_assert(!std::is_same<typename of::value_type, bool>::value || !std::is_class<typename of::reference>::value,
                  "df::for_each: elements of std::vector<bool> share bytes, so writes get lost; use std::vector<char>");
    dfi_elements<dfi_i, dfi_f> g = { first, f };
    dfi_for_each(opts, 0L, static_cast<long>(last - first), g, at);
}

/* Numbers are converted to long; iterators are not. */
template <class dfi_a> using dfi_index = typename std::conditional<std::is_arithmetic<dfi_a>{}, long, dfi_a>::type;

template <class dfi_o, class dfi_a, class dfi_b, class dfi_f, class = dfi_if_options<dfi_o>>
void for_each(dfi_o opts, const dfi_a &lo, const dfi_b &hi, const dfi_f &f, dfi_where at = dfi_where::here())
{
    typedef dfi_index<dfi_a> index;
    dfi_for_each(static_cast<const df_loop *>(opts), static_cast<index>(lo), static_cast<index>(hi), f, at);
}
template <class dfi_a, class dfi_b, class dfi_f>
void for_each(const dfi_a &lo, const dfi_b &hi, const dfi_f &f, dfi_where at = dfi_where::here())
{
    for_each(static_cast<const df_loop *>(NULL), lo, hi, f, at);
}

/* --- reductions ----------------------------------------------------------------------------------------- */

/* A partial result; none as long as no iteration has contributed. */
template <class dfi_t, class Op> struct dfi_partial {
    const Op *op;
    alignas(dfi_t) unsigned char bytes[sizeof(dfi_t)];
    bool any;
    dfi_t &value() { return *static_cast<dfi_t *>(static_cast<void *>(bytes)); }
    void begin(const Op *o, dfi_t &&x)
    {
        new (static_cast<void *>(bytes)) dfi_t(std::move(x));
        op = o, any = true;
    }
    void end()
    {
        if (any) value().~dfi_t();
        any = false;
    }
    static void combine(void *into, const void *from, size_t)
    {
        dfi_partial *a = static_cast<dfi_partial *>(into);
        dfi_partial *b = static_cast<dfi_partial *>(const_cast<void *>(from));
        if (!b) {
            new (into) dfi_partial;
            a->any = false;
            return;
        }
        DFI_TRY
        if (b->any && a->any) {
            dfi_t x(std::move(a->value()));
            a->end();
            a->begin(b->op, (*b->op)(std::move(x), std::move(b->value())));
        } else if (b->any) a->begin(b->op, std::move(b->value()));
        DFI_CATCH((void)0)
        b->end();
    }
};

template <class dfi_t, class dfi_f, class Op> struct dfi_reduce_args {
    const dfi_lambda *of;
    const dfi_f *f;
    const Op *op;
    long step;
    dfi_partial<dfi_t, Op> *to;
    struct adds { /* in a register, if it fits */
        dfi_body_of<dfi_f> f;
        dfi_body_of<Op> op;
        dfi_t *sum;
        void operator()(long i) const { *sum = op(std::move(*sum), static_cast<dfi_t>(f(i))); }
    };
    void run(long lo, long hi) const
    {
        unsigned long n = dfi_count(lo, hi, step);
        if (!to->any) {
            to->begin(op, static_cast<dfi_t>((*f)(lo)));
            if (!--n) return;
            lo = static_cast<long>(static_cast<unsigned long>(lo) + static_cast<unsigned long>(step));
        }
        dfi_t sum(std::move(to->value()));
        to->end(); /* nothing contributes if f or op throws */
        dfi_each(adds{ *f, *op, &sum }, lo, n, step);
        to->begin(op, std::move(sum));
    }
};

template <class dfi_o, class dfi_t, class dfi_f, class Op, class = dfi_if_options<dfi_o>>
dfi_t reduce(dfi_o opts, long lo, long hi, dfi_t init, const dfi_f &f, const Op &op, dfi_where at = dfi_where::here())
{
    typedef dfi_partial<dfi_t, Op> partial;
    typedef dfi_reduce_args<dfi_t, dfi_f, Op> args;
    static_assert(!(std::is_integral<dfi_t>{} && std::is_floating_point<decltype(f(lo))>{}),
                  "df.hpp: df::reduce: init is an integer, and f returns a floating-point number: write 0.0, not 0");
    static_assert(alignof(partial) <= 64, "df.hpp: df::reduce: T is aligned to more than 64 bytes");
    static dfi_lambda_loop<dfi_f, args> loop(at, DFI_REDUCE);
    struct whole : partial {
        ~whole() { this->end(); }
    } sum;
    sum.begin(&op, std::move(init));
    args a = { NULL, &f, &op, dfi_step(opts), &sum };
    dfi_access x[1];
    dfi_access_reduce(x, dfi_keys, partial::combine, sizeof(partial)); /* DF_CHECK cannot copy any T to test op */
    dfi_access_array(x, DFI_REDUCE, offsetof(args, to), a.to, sizeof(partial));
    loop.go(opts, lo, hi, a, x, 1);
    return std::move(sum.value());
}
template <class dfi_t, class dfi_f, class Op>
dfi_t reduce(long lo, long hi, dfi_t init, const dfi_f &f, const Op &op, dfi_where at = dfi_where::here())
{
    return reduce(static_cast<const df_loop *>(NULL), lo, hi, std::move(init), f, op, at);
}
template <class dfi_o, class dfi_t, class dfi_f, class = dfi_if_options<dfi_o>>
dfi_t reduce(dfi_o opts, long lo, long hi, dfi_t init, const dfi_f &f, dfi_where at = dfi_where::here())
{
    return reduce(opts, lo, hi, std::move(init), f, std::plus<dfi_t>(), at);
}
template <class dfi_t, class dfi_f>
dfi_t reduce(long lo, long hi, dfi_t init, const dfi_f &f, dfi_where at = dfi_where::here())
{
    return reduce(static_cast<const df_loop *>(NULL), lo, hi, std::move(init), f, std::plus<dfi_t>(), at);
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

/* --- fork and join -------------------------------------------------------------------------------------- */

/* The result of f() if another worker runs it. */
template <class dfi_r> class dfi_result {
    alignas(dfi_r) unsigned char bytes[sizeof(dfi_r)];
    bool any;
    dfi_r &value() { return *static_cast<dfi_r *>(static_cast<void *>(bytes)); }
public:
    dfi_result() : any(false) {}
    template <class dfi_f> void run(dfi_f &f) { new (static_cast<void *>(bytes)) dfi_r(f()), any = true; }
    dfi_r take()
    {
        struct after {
            dfi_r &x;
            ~after() { x.~dfi_r(); }
        } end = { value() };
        return std::move(end.x);
    }
    void drop() { if (any) value().~dfi_r(); } /* it is not taken */
};
template <> class dfi_result<void> {
public:
    template <class dfi_f> void run(dfi_f &f) { f(); }
    void take() {}
    void drop() {}
};

template <class dfi_f> class spawned {
    typedef typename std::decay<decltype(std::declval<dfi_f &>()())>::type dfi_r;
    struct future : dfi_future {
        dfi_f f;
        dfi_result<dfi_r> result;
#if DFI_EXCEPTIONS
        dfi_future_rest rest;
#endif
        explicit future(dfi_f &&g) : f(std::move(g)) {}
        explicit future(const dfi_f &g) : f(g) {}
    } a;
    struct spawn_type : dfi_lambda, dfi_type {
        explicit spawn_type(const dfi_where &at)
            : dfi_lambda(at), dfi_type{spawned::run, dfi_lambda::name, 0, 0, 0, 0, ""} {}
    };
    void here() /* for the messages of the call that follows */
    {
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
        dfi_here(a.type ? static_cast<const spawn_type *>(a.type)->site : "df.hpp: sync");
#endif
    }
    static void run(void *p, void *)
    {
        future *t = static_cast<future *>(static_cast<dfi_future *>(p));
#if DFI_EXCEPTIONS
        t->rest.threw.drop = NULL;
#endif
        DFI_TRY
        t->result.run(t->f);
#if DFI_EXCEPTIONS
        } catch (...) { dfi_body_threw(&t->rest.threw); }
#endif
    }
public:
    template <class dfi_g> spawned(dfi_g &&g, const dfi_where &at) : a(std::forward<dfi_g>(g))
    {
        static const spawn_type type(at);
        a.type = &type;
#if defined(DF_SERIAL)
        run(static_cast<dfi_future *>(&a), NULL);
#else
        here();
        dfi_spawn(&a);
#endif
    }
    ~spawned()
    {
#if DFI_EXCEPTIONS
        if (DFI_UNLIKELY(a.type != NULL) && !dfi_future_left(&a, &a.rest)) a.result.drop();
#endif
    }
#if __cplusplus < 201703L
    spawned(spawned &&t) : a(std::move(t.a.f)) /* never called: a compiler constructs the object in its place */
    {
        std::fputs("df.hpp: df::spawn: compile as C++17, or without -fno-elide-constructors\n", stderr);
        std::abort();
    }
#else
    spawned(spawned &&) = delete;
#endif
    dfi_r sync()
    {
#if !defined(DF_SERIAL)
        here();
        if (dfi_sync(&a)) {
            a.type = NULL;
            return a.f();
        }
#endif
        a.type = NULL;
#if DFI_EXCEPTIONS
        if (a.rest.threw.drop) dfi_exception_throw(a.rest.threw);
#endif
        return a.result.take();
    }
};

template <class dfi_f> spawned<typename std::decay<dfi_f>::type> spawn(dfi_f &&f, dfi_where at = dfi_where::here())
{
    return spawned<typename std::decay<dfi_f>::type>(std::forward<dfi_f>(f), at);
}

/* --- tasks ---------------------------------------------------------------------------------------------- */

/* What a task accesses, and what its lambda gets for it (`seen`). Each kind begins with an address, which the runtime
 * may change in the record of a task (renaming). */
template <class dfi_t> struct dfi_row { /* n elements; a pointer to the first one */
    typedef dfi_t element;
    dfi_t *p;
    size_t n;
    void access(dfi_access *x, unsigned mode, unsigned arg) const
    {
        dfi_access_array(x, mode, arg, static_cast<const void *>(p), dfi_bytes(n, sizeof(dfi_t)));
    }
    dfi_t *seen() const { return p; }
};
template <class dfi_t> struct dfi_block { /* of a matrix: a pointer to its first element */
    typedef dfi_t element;
    dfi_t *p;
    size_t rows, row, ld; /* the last two in bytes */
    void access(dfi_access *x, unsigned mode, unsigned arg) const
    {
        dfi_access_block(x, mode, arg, static_cast<const void *>(p), rows, row, ld);
    }
    dfi_t *seen() const { return p; }
};

/* Objects by what they have: an object, an array of C, a container, a view such as std::span, std::mdspan. */
constexpr int DFI_OBJECT = 0, DFI_ARRAY = 1, DFI_CONTAINER = 2, DFI_VIEW = 3, DFI_MATRIX = 4;
template <class dfi_c> struct dfi_shape {
    template <class dfi_d> static decltype(std::declval<dfi_d &>().data_handle(), std::true_type()) matrix(int);
    template <class> static std::false_type matrix(long);
    template <class dfi_d>
    static decltype(std::declval<dfi_d &>().data(), std::declval<dfi_d &>().size(), std::true_type()) row(int);
    template <class> static std::false_type row(long);
    template <class dfi_d> static std::integral_constant<bool, std::is_trivially_copyable<dfi_d>{} &&
        std::is_constructible<dfi_d, decltype(std::declval<dfi_d &>().data()), size_t>{}> view(int);
    template <class> static std::false_type view(long);
    template <class dfi_d> static decltype(std::begin(std::declval<dfi_d &>()), std::true_type()) list(int);
    template <class> static std::false_type list(long);
    static constexpr int is = std::is_array<dfi_c>::value ? DFI_ARRAY : decltype(matrix<dfi_c>(0))::value ? DFI_MATRIX
        : !decltype(row<dfi_c>(0))::value ? DFI_OBJECT : decltype(view<dfi_c>(0))::value ? DFI_VIEW : DFI_CONTAINER;
    static_assert(is != DFI_OBJECT || !decltype(list<dfi_c>(0))::value,
                  "df.hpp: the elements of this container are not in one piece of memory: name those that the task "
                  "accesses one by one, or as df::in(p, n)");
    static_assert(!std::is_pointer<dfi_c>{}, "df.hpp: an access through a pointer needs a count: df::in(p, n)");
};
template <bool reads, class dfi_t> using dfi_const_if = typename std::conditional<reads, const dfi_t, dfi_t>::type;
template <bool reads, class dfi_c, int = dfi_shape<dfi_c>::is> struct dfi_kind : dfi_row<dfi_const_if<reads, dfi_c>> {
    explicit dfi_kind(dfi_c &c) : dfi_row<dfi_const_if<reads, dfi_c>>{ &c, 1 } {}
    dfi_const_if<reads, dfi_c> &seen() const { return *this->p; }
};
template <bool reads, class dfi_t, size_t n>
struct dfi_kind<reads, dfi_t[n], DFI_ARRAY> : dfi_row<dfi_const_if<reads, dfi_t>> {
    explicit dfi_kind(dfi_t (&c)[n]) : dfi_row<dfi_const_if<reads, dfi_t>>{ c, n } {}
};
template <class dfi_c> using dfi_element = typename std::remove_pointer<decltype(std::declval<dfi_c &>().data())>::type;
template <bool reads, class dfi_c>
struct dfi_kind<reads, dfi_c, DFI_CONTAINER> : dfi_row<dfi_const_if<reads, dfi_element<dfi_c>>> {
    explicit dfi_kind(dfi_c &c) : dfi_row<dfi_const_if<reads, dfi_element<dfi_c>>>{ c.data(), c.size() } {}
};
template <bool reads, class dfi_c> struct dfi_kind<reads, dfi_c, DFI_VIEW> : dfi_row<dfi_element<dfi_c>> {
    explicit dfi_kind(dfi_c &c) : dfi_row<dfi_element<dfi_c>>{ c.data(), c.size() } {}
    dfi_c seen() const { return dfi_c(this->p, this->n); }
};
template <class dfi_c>
using dfi_handle_element = typename std::remove_pointer<decltype(std::declval<dfi_c &>().data_handle())>::type;
template <bool reads, class dfi_c> struct dfi_kind<reads, dfi_c, DFI_MATRIX> : dfi_block<dfi_handle_element<dfi_c>> {
    typedef dfi_handle_element<dfi_c> dfi_t;
    typename dfi_c::mapping_type mapping;
    explicit dfi_kind(dfi_c &c) : dfi_block<dfi_t>{ c.data_handle(), 1, 0, 0 }, mapping(c.mapping())
    {
        static_assert(dfi_c::rank() == 1 || dfi_c::rank() == 2,
                      "df.hpp: an access to a view of more than two dimensions");
        const bool turned = distance(c, 0) < distance(c, dfi_c::rank() - 1); /* columns lie in one piece */
        const size_t inner = turned ? 0 : dfi_c::rank() - 1, outer = dfi_c::rank() - 1 - inner;
        const size_t n = static_cast<size_t>(c.extent(inner));
        if (n) this->row = (n - 1) * distance(c, inner) + sizeof(dfi_t);
        if (dfi_c::rank() == 2) this->rows = static_cast<size_t>(c.extent(outer)), this->ld = distance(c, outer);
    }
    dfi_c seen() const { return dfi_c(this->p, mapping); }
private:
    static size_t distance(const dfi_c &c, size_t r) { return static_cast<size_t>(c.stride(r)) * sizeof(dfi_t); }
};

template <unsigned dfi_mode, class dfi_k> struct dfi_accessed {
    typedef dfi_k kind;
    static constexpr unsigned mode() { return dfi_mode; }
    dfi_k k;
    dfi_where at;
};
/* A number of elements; one that is negative is impossible (api/access.h). */
struct dfi_size {
    size_t value;
    template <class dfi_n, class = typename std::enable_if<std::is_convertible<dfi_n, size_t>{} &&
                                                           !std::is_floating_point<dfi_n>{}>::type>
    DFI_MEMBER dfi_size(dfi_n n) : value(n < 0 ? DFI_NO_BYTES : static_cast<size_t>(n)) {}
};
#define DFI_CXX_ACCESS(name, mode, reads)                                                                             \
    template <class dfi_t> dfi_accessed<mode, dfi_row<dfi_const_if<reads, dfi_t>>>                                    \
    name(dfi_t *p, dfi_size n, dfi_where at = dfi_where::here())                                                      \
    {                                                                                                                 \
        static_assert(reads || !std::is_const<dfi_t>{}, "df.hpp: df::" #name " of constant elements: df::in");        \
        return { { p, n.value }, at };                                                                                \
    }                                                                                                                 \
    template <class dfi_t> dfi_accessed<mode, dfi_block<dfi_const_if<reads, dfi_t>>>                                  \
    name##2(dfi_t *p, dfi_size rows, dfi_size columns, dfi_size ld, dfi_where at = dfi_where::here())                 \
    {                                                                                                                 \
        static_assert(reads || !std::is_const<dfi_t>{}, "df.hpp: df::" #name "2 of constant elements: df::in2");      \
        return { { p, rows.value, dfi_bytes(columns.value, sizeof(dfi_t)), dfi_bytes(ld.value, sizeof(dfi_t)) }, at }; \
    }                                                                                                                 \
    template <class dfi_c> dfi_accessed<mode, dfi_kind<reads, typename std::remove_reference<dfi_c>::type>>           \
    name(dfi_c &&c, dfi_where at = dfi_where::here())                                                                 \
    {                                                                                                                 \
        typedef typename std::remove_reference<dfi_c>::type of;                                                       \
        static_assert(std::is_lvalue_reference<dfi_c>{} || dfi_shape<of>::is == DFI_VIEW ||                           \
                      dfi_shape<of>::is == DFI_MATRIX, "df.hpp: df::" #name " of an object that ends here");          \
        typedef typename dfi_kind<reads, of>::element element;                                                        \
        static_assert(reads || !std::is_const<element>{}, "df.hpp: df::" #name " of constant elements: df::in");      \
        return { dfi_kind<reads, of>(c), at };                                                                        \
    }
DFI_CXX_ACCESS(in, DFI_IN, true)
DFI_CXX_ACCESS(out, DFI_OUT, false)
DFI_CXX_ACCESS(inout, DFI_INOUT, false)
DFI_CXX_ACCESS(commute, DFI_COMMUTE, false)
DFI_CXX_ACCESS(concurrent, DFI_CONCURRENT, false)
DFI_CXX_ACCESS(weak_in, DFI_CHILDREN | DFI_IN, true)
DFI_CXX_ACCESS(weak_inout, DFI_CHILDREN | DFI_INOUT, false)
#undef DFI_CXX_ACCESS

/* The accesses of a task, in its record. */
template <class... dfi_k> struct dfi_items {
    static void accesses(dfi_access *, const char *, const unsigned *) {}
    template <class dfi_res, class dfi_f, class... dfi_s> static dfi_res call(dfi_f &f, dfi_s &&... s)
    {
        return f(std::forward<dfi_s>(s)...);
    }
};
template <class dfi_k, class... dfi_l> struct dfi_items<dfi_k, dfi_l...> : dfi_items<dfi_l...> {
    dfi_k k;
    explicit dfi_items(const dfi_k &first, const dfi_l &... rest) : dfi_items<dfi_l...>(rest...), k(first) {}
    /* record: where it begins; NULL: the lambda does not get the addresses */
    void accesses(dfi_access *x, const char *record, const unsigned *mode) const
    {
        const char *here = static_cast<const char *>(static_cast<const void *>(&k));
        k.access(x, *mode, record ? static_cast<unsigned>(here - record) : DFI_NO_ARG);
        dfi_items<dfi_l...>::accesses(x + 1, record, mode + 1);
    }
    template <class dfi_res, class dfi_f, class... dfi_s> dfi_res call(dfi_f &f, dfi_s &&... s) const
    {
        return dfi_items<dfi_l...>::template call<dfi_res>(f, std::forward<dfi_s>(s)..., k.seen());
    }
};

/* How a lambda is called: with what it may access, or with nothing. */
template <class dfi_f, class... dfi_k> struct dfi_callable {
    template <class dfi_g>
    static decltype(std::declval<dfi_g &>()(std::declval<const dfi_k &>().seen()...), std::true_type()) all(int);
    template <class> static std::false_type all(long);
    template <class dfi_g> static decltype(std::declval<dfi_g &>()(), std::true_type()) none(int);
    template <class> static std::false_type none(long);
    static constexpr bool with() { return decltype(all<dfi_f>(0))::value; }
    static_assert(with() || decltype(none<dfi_f>(0))::value,
                  "df.hpp: a task can call f neither as f() nor with its accesses: T * for each access to elements, "
                  "T & for one to an object, a view for one to a view, and const T for those that only read");
};
template <class dfi_f, bool with, class... dfi_k> struct dfi_called {
    typedef decltype(std::declval<dfi_f &>()(std::declval<const dfi_k &>().seen()...)) result;
    static result call(dfi_f &f, const dfi_items<dfi_k...> &k) { return k.template call<result>(f); }
};
template <class dfi_f, class... dfi_k> struct dfi_called<dfi_f, false, dfi_k...> {
    typedef decltype(std::declval<dfi_f &>()()) result;
    static result call(dfi_f &f, const dfi_items<dfi_k...> &) { return f(); }
};
template <class dfi_f, class... dfi_k>
struct dfi_calls : dfi_callable<dfi_f, dfi_k...>, dfi_called<dfi_f, dfi_callable<dfi_f, dfi_k...>::with(), dfi_k...> {};

template <class dfi_f> struct dfi_once { static constexpr unsigned modes() { return 0; } };
constexpr unsigned dfi_all_modes() { return 0; }
template <class... dfi_ms> constexpr unsigned dfi_all_modes(unsigned m, dfi_ms... rest)
{
    return m | dfi_all_modes(rest...);
}

/* A task of a lambda of type F with accesses A, one for each type: the expansion of DF_TASK (api/declare.h). */
template <class dfi_f, class... dfi_as> struct dfi_lambda_task : dfi_lambda {
    typedef dfi_value<dfi_f> value;
    typedef dfi_calls<dfi_f, typename dfi_as::kind...> calls;
    struct args {
        dfi_items<typename dfi_as::kind...> items;
        typename value::field f;
        void dfi_order(void *what) const { value::order(f, what); }
    };
    static constexpr unsigned modes()
    {
        return dfi_all_modes(static_cast<unsigned>(value::modes), dfi_once<dfi_f>::modes(), dfi_as::mode()...);
    }
    static_assert(sizeof...(dfi_as) <= DFI_PARAMETERS, "df.hpp: a task of a lambda has at most 16 accesses");
    static_assert(value::ok, "df.hpp: a task keeps its lambda, and this one can neither be moved nor copied");
    dfi_type type;
    static const dfi_lambda *&lambda()
    {
        static const dfi_lambda *me;
        return me;
    }
    explicit dfi_lambda_task(const dfi_where &at)
        : dfi_lambda(at), type{run, name, 0, 0, sizeof(args), modes(), ""} { lambda() = this; }
    static void run(void *p, void *dfi_r)
    {
        const args *dfi_a = static_cast<const args *>(p);
        DFI_ARGS_ORDERED(modes())
        (void)dfi_r;
        DFI_TRY
        DFI_BODY_BEGIN(lambda()->name, lambda()->site)
        dfi_args_end<args> end(dfi_a);
        dfi_f f(value::take(dfi_a->f));
        calls::call(f, dfi_a->items);
        DFI_BODY_END
        DFI_CATCH((void)0)
    }
    template <class dfi_g> void go(dfi_g &&g, const dfi_as &... a) const
    {
        const unsigned n = static_cast<unsigned>(sizeof...(dfi_as));
        const unsigned mode[sizeof...(dfi_as) + 1] = { dfi_as::mode()..., 0 };
        dfi_access x[sizeof...(dfi_as) + 1];
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
        dfi_here(site);
#endif
        dfi_f f(std::forward<dfi_g>(g));
#if !defined(DF_SERIAL) && !DFI_FOR_SIZE
        dfi_lazy *l = dfi_lazy_new(&type, modes(), sizeof(args));
        if (DFI_LIKELY(l != NULL)) {
            const args v = { dfi_items<typename dfi_as::kind...>(a.k...), value::hold(f) };
            memcpy(dfi_lazy_args(l), static_cast<const void *>(&v), sizeof v);
            return;
        }
#endif
        args v = { dfi_items<typename dfi_as::kind...>(a.k...), value::hold(f) };
        dfi_task *t = dfi_task_new(&type);
        dfi_needs_dataflow();
        if (!t) {
            dfi_run_now(&type, static_cast<void *>(&v));
            return;
        }
        v.items.accesses(x, calls::with() ? static_cast<const char *>(static_cast<const void *>(&v)) : NULL, mode);
        if (modes() && DFI_UNLIKELY(t == DFI_BARE)) {
            dfi_run_after(&type, static_cast<void *>(&v), x, n);
            return;
        }
        memcpy(t->args, static_cast<const void *>(&v), sizeof v);
        dfi_submit(t, x, n);
    }
};
template <class dfi_f, class... dfi_as>
const dfi_lambda_task<typename std::decay<dfi_f>::type, dfi_as...> &dfi_task_of(const dfi_where &at)
{
    static const dfi_lambda_task<typename std::decay<dfi_f>::type, dfi_as...> t(at);
    return t;
}
template <class dfi_f, class... dfi_as>
void dfi_submit_with(const df_opts *o, const dfi_where &at, dfi_f &&f, const dfi_as &... a)
{
    const dfi_lambda_task<typename std::decay<dfi_f>::type, dfi_as...> &t = dfi_task_of<dfi_f, dfi_as...>(at);
    dfi_with_around with(o, t.site);
    t.go(std::forward<dfi_f>(f), a...);
}
template <class dfi_o> using dfi_if_task_options =
    typename std::enable_if<std::is_pointer<dfi_o>{} && std::is_convertible<dfi_o, const df_opts *>{}>::type;

template <class dfi_f> void submit(dfi_f &&f, dfi_where at = dfi_where::here())
{
    dfi_task_of<dfi_f>(at).go(std::forward<dfi_f>(f));
}
template <class dfi_f, unsigned m, class dfi_k, class... dfi_as>
void submit(dfi_f &&f, const dfi_accessed<m, dfi_k> &first, const dfi_as &... rest)
{
    dfi_task_of<dfi_f, dfi_accessed<m, dfi_k>, dfi_as...>(first.at).go(std::forward<dfi_f>(f), first, rest...);
}
template <class dfi_o, class dfi_f, class = dfi_if_task_options<dfi_o>>
void submit(dfi_o opts, dfi_f &&f, dfi_where at = dfi_where::here())
{
    dfi_submit_with(opts, at, std::forward<dfi_f>(f));
}
template <class dfi_o, class dfi_f, unsigned m, class dfi_k, class... dfi_as, class = dfi_if_task_options<dfi_o>>
void submit(dfi_o opts, dfi_f &&f, const dfi_accessed<m, dfi_k> &first, const dfi_as &... rest)
{
    dfi_submit_with(opts, first.at, std::forward<dfi_f>(f), first, rest...);
}

/* --- futures -------------------------------------------------------------------------------------------- */

#if DFI_EXCEPTIONS
class error : public std::runtime_error {
    df_result is;
public:
    explicit error(df_result code) : std::runtime_error((df_error_text)(code)), is(code) {}
    df_result code() const { return is; }
};
#endif

template <class dfi_res> struct dfi_state {
    df_handle handle = DF_HANDLE;
    dfi_result<dfi_res> result;
    bool ran = false; /* and its result is here */
    ~dfi_state() { if (ran) result.drop(); }
#if DFI_EXCEPTIONS
    std::exception_ptr threw;
#endif
};
/* What a task with a future calls; it cannot be called otherwise than f. The state is that of the future, which waits
 * for the task; so a task graph cannot run the task again (dfi_once). */
template <class dfi_f, class dfi_res> struct dfi_promise {
    dfi_f f;
    dfi_state<dfi_res> *state;
    template <class... dfi_s>
    auto operator()(dfi_s &&... s) -> decltype(static_cast<void>(std::declval<dfi_f &>()(std::forward<dfi_s>(s)...)))
    {
        auto bound = [&]() -> dfi_res { return this->f(std::forward<dfi_s>(s)...); };
        DFI_TRY
        state->result.run(bound);
        state->ran = true;
#if DFI_EXCEPTIONS
        } catch (...) {
            state->threw = std::current_exception();
            throw;
        }
#endif
    }
};

template <class dfi_f, class dfi_res> struct dfi_once<dfi_promise<dfi_f, dfi_res>> {
    static constexpr unsigned modes() { return DFI_HELD_ONCE; }
};

template <class dfi_res> class future {
    std::unique_ptr<dfi_state<dfi_res>> state;
public:
    future() {}
    explicit future(std::unique_ptr<dfi_state<dfi_res>> &&s) : state(std::move(s)) {}
    future(future &&) = default;
    future &operator=(future &&f)
    {
        if (this != &f) wait(), state = std::move(f.state);
        return *this;
    }
    ~future() { wait(); }
    bool valid() const { return state != NULL; }
    bool done() const { return df_done(&state->handle); }
    void wait() const
    {
        if (state) (void)df_wait_task(&state->handle);
    }
    dfi_res get()
    {
        const df_result r = df_wait_task(&state->handle);
        std::unique_ptr<dfi_state<dfi_res>> s(std::move(state));
        if (s->ran) {
            s->ran = false;
            return s->result.take();
        }
#if DFI_EXCEPTIONS
        if (s->threw) std::rethrow_exception(s->threw);
        throw error(r);
#else
        std::fprintf(stderr, "df.hpp: get() of a task that has no result: %s\n", (df_error_text)(r));
        std::abort();
#endif
    }
};

template <class dfi_f, class... dfi_as> using dfi_result_of =
    typename std::decay<typename dfi_calls<typename std::decay<dfi_f>::type, typename dfi_as::kind...>::result>::type;
template <class dfi_f, class... dfi_as>
future<dfi_result_of<dfi_f, dfi_as...>>
dfi_async(const df_opts *opts, const dfi_where &at, dfi_f &&f, const dfi_as &... a)
{
    typedef typename std::decay<dfi_f>::type body;
    typedef dfi_result_of<dfi_f, dfi_as...> dfi_res;
    std::unique_ptr<dfi_state<dfi_res>> s(new dfi_state<dfi_res>);
    dfi_promise<body, dfi_res> promise = { std::forward<dfi_f>(f), s.get() };
    df_opts o = opts ? *opts : *DF_OPTS(.priority = 0);
    o.handle = &s->handle;
    dfi_submit_with(&o, at, std::move(promise), a...);
    return future<dfi_res>(std::move(s));
}
template <class dfi_f> future<dfi_result_of<dfi_f>> async(dfi_f &&f, dfi_where at = dfi_where::here())
{
    return dfi_async(NULL, at, std::forward<dfi_f>(f));
}
template <class dfi_f, unsigned m, class dfi_k, class... dfi_as>
future<dfi_result_of<dfi_f, dfi_accessed<m, dfi_k>, dfi_as...>>
async(dfi_f &&f, const dfi_accessed<m, dfi_k> &first, const dfi_as &... rest)
{
    return dfi_async(NULL, first.at, std::forward<dfi_f>(f), first, rest...);
}
template <class dfi_o, class dfi_f, class = dfi_if_task_options<dfi_o>>
future<dfi_result_of<dfi_f>> async(dfi_o opts, dfi_f &&f, dfi_where at = dfi_where::here())
{
    return dfi_async(opts, at, std::forward<dfi_f>(f));
}
template <class dfi_o, class dfi_f, unsigned m, class dfi_k, class... dfi_as, class = dfi_if_task_options<dfi_o>>
future<dfi_result_of<dfi_f, dfi_accessed<m, dfi_k>, dfi_as...>>
async(dfi_o opts, dfi_f &&f, const dfi_accessed<m, dfi_k> &first, const dfi_as &... rest)
{
    return dfi_async(opts, first.at, std::forward<dfi_f>(f), first, rest...);
}

DFI_CXX_END
} /* namespace df */
DFI_END
#endif /* DF_HPP */

/* ------------------------------------------------------------------------------------ >>licence
 * MIT licence
 *
 * Copyright (c) 2026 The df authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
 * and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
 * subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial
 * portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
 * NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
 * WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
 * SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */

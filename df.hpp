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
 *     have not begun are skipped, as with df.h. In a task graph, the future is that of the first run.
 *     Errors: an access to something else, to a temporary object, or that writes to constant elements; an f that
 *     cannot be called in either way; more than 16 accesses: static assertions that name what to change.
 *     Threads: any.
 *     Cost: a loop as df_for; spawn and sync together about 2 ns more than df_spawn and df_sync in C; submit as
 *     df_submit; an f that is not trivially copyable one allocation, async two more and about 50 ns. */

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
template <class T> struct dfi_row { /* n elements; a pointer to the first one */
    typedef T element;
    T *p;
    size_t n;
    void access(dfi_access *x, unsigned mode, unsigned arg) const
    {
        dfi_access_array(x, mode, arg, static_cast<const void *>(p), dfi_bytes(n, sizeof(T)));
    }
    T *seen() const { return p; }
};
template <class T> struct dfi_block { /* of a matrix: a pointer to its first element */
    typedef T element;
    T *p;
    size_t rows, row, ld; /* the last two in bytes */
    void access(dfi_access *x, unsigned mode, unsigned arg) const
    {
        dfi_access_block(x, mode, arg, static_cast<const void *>(p), rows, row, ld);
    }
    T *seen() const { return p; }
};

/* Objects by what they have: an object, an array of C, a container, a view such as std::span, std::mdspan. */
constexpr int DFI_OBJECT = 0, DFI_ARRAY = 1, DFI_CONTAINER = 2, DFI_VIEW = 3, DFI_MATRIX = 4;
template <class C> struct dfi_shape {
    template <class D> static decltype(std::declval<D &>().data_handle(), std::true_type()) matrix(int);
    template <class> static std::false_type matrix(long);
    template <class D>
    static decltype(std::declval<D &>().data(), std::declval<D &>().size(), std::true_type()) row(int);
    template <class> static std::false_type row(long);
    template <class D> static std::integral_constant<bool, std::is_trivially_copyable<D>{} &&
        std::is_constructible<D, decltype(std::declval<D &>().data()), size_t>{}> view(int);
    template <class> static std::false_type view(long);
    template <class D> static decltype(std::begin(std::declval<D &>()), std::true_type()) list(int);
    template <class> static std::false_type list(long);
    static constexpr int is = std::is_array<C>::value ? DFI_ARRAY : decltype(matrix<C>(0))::value ? DFI_MATRIX
        : !decltype(row<C>(0))::value ? DFI_OBJECT : decltype(view<C>(0))::value ? DFI_VIEW : DFI_CONTAINER;
    static_assert(is != DFI_OBJECT || !decltype(list<C>(0))::value,
                  "df.hpp: the elements of this container are not in one piece of memory: name those that the task "
                  "accesses one by one, or as df::in(p, n)");
    static_assert(!std::is_pointer<C>{}, "df.hpp: an access through a pointer needs a count: df::in(p, n)");
};
template <bool reads, class T> using dfi_const_if = typename std::conditional<reads, const T, T>::type;
template <bool reads, class C, int = dfi_shape<C>::is> struct dfi_kind : dfi_row<dfi_const_if<reads, C>> {
    explicit dfi_kind(C &c) : dfi_row<dfi_const_if<reads, C>>{ &c, 1 } {}
    dfi_const_if<reads, C> &seen() const { return *this->p; }
};
template <bool reads, class T, size_t n> struct dfi_kind<reads, T[n], DFI_ARRAY> : dfi_row<dfi_const_if<reads, T>> {
    explicit dfi_kind(T (&c)[n]) : dfi_row<dfi_const_if<reads, T>>{ c, n } {}
};
template <class C> using dfi_element = typename std::remove_pointer<decltype(std::declval<C &>().data())>::type;
template <bool reads, class C>
struct dfi_kind<reads, C, DFI_CONTAINER> : dfi_row<dfi_const_if<reads, dfi_element<C>>> {
    explicit dfi_kind(C &c) : dfi_row<dfi_const_if<reads, dfi_element<C>>>{ c.data(), c.size() } {}
};
template <bool reads, class C> struct dfi_kind<reads, C, DFI_VIEW> : dfi_row<dfi_element<C>> {
    explicit dfi_kind(C &c) : dfi_row<dfi_element<C>>{ c.data(), c.size() } {}
    C seen() const { return C(this->p, this->n); }
};
template <class C>
using dfi_handle_element = typename std::remove_pointer<decltype(std::declval<C &>().data_handle())>::type;
template <bool reads, class C> struct dfi_kind<reads, C, DFI_MATRIX> : dfi_block<dfi_handle_element<C>> {
    typedef dfi_handle_element<C> T;
    typename C::mapping_type mapping;
    explicit dfi_kind(C &c) : dfi_block<T>{ c.data_handle(), 1, 0, 0 }, mapping(c.mapping())
    {
        static_assert(C::rank() == 1 || C::rank() == 2, "df.hpp: an access to a view of more than two dimensions");
        const bool turned = distance(c, 0) < distance(c, C::rank() - 1); /* columns lie in one piece */
        const size_t in = turned ? 0 : C::rank() - 1, out = C::rank() - 1 - in;
        const size_t n = static_cast<size_t>(c.extent(in));
        if (n) this->row = (n - 1) * distance(c, in) + sizeof(T);
        if (C::rank() == 2) this->rows = static_cast<size_t>(c.extent(out)), this->ld = distance(c, out);
    }
    C seen() const { return C(this->p, mapping); }
private:
    static size_t distance(const C &c, size_t r) { return static_cast<size_t>(c.stride(r)) * sizeof(T); }
};

template <unsigned dfi_mode, class K> struct dfi_accessed {
    typedef K kind;
    static constexpr unsigned mode() { return dfi_mode; }
    K k;
    dfi_where at;
};
/* A number of elements; one that is negative is impossible (api/access.h). */
struct dfi_size {
    size_t value;
    template <class N,
              class = typename std::enable_if<std::is_convertible<N, size_t>{} && !std::is_floating_point<N>{}>::type>
    DFI_MEMBER dfi_size(N n) : value(n < 0 ? DFI_NO_BYTES : static_cast<size_t>(n)) {}
};
#define DFI_CXX_ACCESS(name, mode, reads)                                                                       \
    template <class T> dfi_accessed<mode, dfi_row<dfi_const_if<reads, T>>>                                      \
    name(T *p, dfi_size n, dfi_where at = dfi_where::here())                                                    \
    {                                                                                                           \
        static_assert(reads || !std::is_const<T>{}, "df.hpp: df::" #name " of constant elements: df::in");       \
        return { { p, n.value }, at };                                                                          \
    }                                                                                                           \
    template <class T> dfi_accessed<mode, dfi_block<dfi_const_if<reads, T>>>                                    \
    name##2(T *p, dfi_size rows, dfi_size columns, dfi_size ld, dfi_where at = dfi_where::here())                \
    {                                                                                                           \
        static_assert(reads || !std::is_const<T>{}, "df.hpp: df::" #name "2 of constant elements: df::in2");     \
        return { { p, rows.value, dfi_bytes(columns.value, sizeof(T)), dfi_bytes(ld.value, sizeof(T)) }, at };  \
    }                                                                                                           \
    template <class C> dfi_accessed<mode, dfi_kind<reads, typename std::remove_reference<C>::type>>             \
    name(C &&c, dfi_where at = dfi_where::here())                                                               \
    {                                                                                                           \
        typedef typename std::remove_reference<C>::type of;                                                     \
        static_assert(std::is_lvalue_reference<C>{} || dfi_shape<of>::is == DFI_VIEW ||                          \
                      dfi_shape<of>::is == DFI_MATRIX, "df.hpp: df::" #name " of an object that ends here");     \
        typedef typename dfi_kind<reads, of>::element element;                                                  \
        static_assert(reads || !std::is_const<element>{}, "df.hpp: df::" #name " of constant elements: df::in"); \
        return { dfi_kind<reads, of>(c), at };                                                                  \
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
template <class... K> struct dfi_items {
    static void accesses(dfi_access *, const char *, const unsigned *) {}
    template <class R, class F, class... S> static R call(F &f, S &&... s) { return f(std::forward<S>(s)...); }
};
template <class K, class... L> struct dfi_items<K, L...> : dfi_items<L...> {
    K k;
    explicit dfi_items(const K &first, const L &... rest) : dfi_items<L...>(rest...), k(first) {}
    /* record: where it begins; NULL: the lambda does not get the addresses */
    void accesses(dfi_access *x, const char *record, const unsigned *mode) const
    {
        const char *here = static_cast<const char *>(static_cast<const void *>(&k));
        k.access(x, *mode, record ? static_cast<unsigned>(here - record) : DFI_NO_ARG);
        dfi_items<L...>::accesses(x + 1, record, mode + 1);
    }
    template <class R, class F, class... S> R call(F &f, S &&... s) const
    {
        return dfi_items<L...>::template call<R>(f, std::forward<S>(s)..., k.seen());
    }
};

/* How a lambda is called: with what it may access, or with nothing. */
template <class F, class... K> struct dfi_callable {
    template <class G>
    static decltype(std::declval<G &>()(std::declval<const K &>().seen()...), std::true_type()) all(int);
    template <class> static std::false_type all(long);
    template <class G> static decltype(std::declval<G &>()(), std::true_type()) none(int);
    template <class> static std::false_type none(long);
    static constexpr bool with() { return decltype(all<F>(0))::value; }
    static_assert(with() || decltype(none<F>(0))::value,
                  "df.hpp: a task can call f neither as f() nor with its accesses: T * for each access to elements, "
                  "T & for one to an object, a view for one to a view, and const T for those that only read");
};
template <class F, bool with, class... K> struct dfi_called {
    typedef decltype(std::declval<F &>()(std::declval<const K &>().seen()...)) result;
    static result call(F &f, const dfi_items<K...> &k) { return k.template call<result>(f); }
};
template <class F, class... K> struct dfi_called<F, false, K...> {
    typedef decltype(std::declval<F &>()()) result;
    static result call(F &f, const dfi_items<K...> &) { return f(); }
};
template <class F, class... K>
struct dfi_calls : dfi_callable<F, K...>, dfi_called<F, dfi_callable<F, K...>::with(), K...> {};

constexpr unsigned dfi_all_modes() { return 0; }
template <class... M> constexpr unsigned dfi_all_modes(unsigned m, M... rest) { return m | dfi_all_modes(rest...); }

/* A task of a lambda of type F with accesses A, one for each type: the expansion of DF_TASK (api/declare.h). */
template <class F, class... A> struct dfi_lambda_task : dfi_lambda {
    typedef dfi_value<F> value;
    typedef dfi_calls<F, typename A::kind...> calls;
    struct args {
        dfi_items<typename A::kind...> items;
        typename value::field f;
        void dfi_order(void *what) const { value::order(f, what); }
    };
    static constexpr unsigned modes() { return dfi_all_modes(static_cast<unsigned>(value::modes), A::mode()...); }
    static_assert(sizeof...(A) <= DFI_PARAMETERS, "df.hpp: a task of a lambda has at most 16 accesses");
    static_assert(value::ok, "df.hpp: a task keeps its lambda, and this one can neither be moved nor copied");
    dfi_type type;
    static const dfi_lambda *&self()
    {
        static const dfi_lambda *me;
        return me;
    }
    explicit dfi_lambda_task(const dfi_where &at)
        : dfi_lambda(at), type{run, name, 0, 0, sizeof(args), modes(), ""} { self() = this; }
    static void run(void *p, void *dfi_r)
    {
        const args *dfi_a = static_cast<const args *>(p);
        DFI_ARGS_ORDERED(modes())
        (void)dfi_r;
        DFI_TRY
        DFI_BODY_BEGIN(self()->name, self()->site)
        dfi_args_end<args> end(dfi_a);
        F f(value::take(dfi_a->f));
        calls::call(f, dfi_a->items);
        DFI_BODY_END
        DFI_CATCH((void)0)
    }
    template <class G> void go(G &&g, const A &... a) const
    {
        const unsigned n = static_cast<unsigned>(sizeof...(A)), mode[sizeof...(A) + 1] = { A::mode()..., 0 };
        dfi_access x[sizeof...(A) + 1];
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
        dfi_here(site);
#endif
        F f(std::forward<G>(g));
#if !defined(DF_SERIAL) && !DFI_FOR_SIZE
        dfi_lazy *l = dfi_lazy_new(&type, modes(), sizeof(args));
        if (DFI_LIKELY(l != NULL)) {
            const args v = { dfi_items<typename A::kind...>(a.k...), value::hold(f) };
            memcpy(dfi_lazy_args(l), static_cast<const void *>(&v), sizeof v);
            return;
        }
#endif
        args v = { dfi_items<typename A::kind...>(a.k...), value::hold(f) };
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
template <class F, class... A>
const dfi_lambda_task<typename std::decay<F>::type, A...> &dfi_task_of(const dfi_where &at)
{
    static const dfi_lambda_task<typename std::decay<F>::type, A...> task(at);
    return task;
}
template <class F, class... A> void dfi_submit_with(const df_opts *o, const dfi_where &at, F &&f, const A &... a)
{
    const dfi_lambda_task<typename std::decay<F>::type, A...> &task = dfi_task_of<F, A...>(at);
    dfi_with_around with(o, task.site);
    task.go(std::forward<F>(f), a...);
}
template <class O> using dfi_if_task_options =
    typename std::enable_if<std::is_pointer<O>{} && std::is_convertible<O, const df_opts *>{}>::type;

template <class F> void submit(F &&f, dfi_where at = dfi_where::here()) { dfi_task_of<F>(at).go(std::forward<F>(f)); }
template <class F, unsigned m, class K, class... A>
void submit(F &&f, const dfi_accessed<m, K> &first, const A &... rest)
{
    dfi_task_of<F, dfi_accessed<m, K>, A...>(first.at).go(std::forward<F>(f), first, rest...);
}
template <class O, class F, class = dfi_if_task_options<O>>
void submit(O opts, F &&f, dfi_where at = dfi_where::here())
{
    dfi_submit_with(opts, at, std::forward<F>(f));
}
template <class O, class F, unsigned m, class K, class... A, class = dfi_if_task_options<O>>
void submit(O opts, F &&f, const dfi_accessed<m, K> &first, const A &... rest)
{
    dfi_submit_with(opts, first.at, std::forward<F>(f), first, rest...);
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

template <class R> struct dfi_state {
    df_handle handle = DF_HANDLE;
    dfi_result<R> result;
    bool ended = false, ran = false; /* ran: and its result is here */
    ~dfi_state() { if (ran) result.drop(); }
#if DFI_EXCEPTIONS
    std::exception_ptr threw;
#endif
};
/* What a task with a future calls; it cannot be called otherwise than f. The state is shared because a task graph keeps
 * its tasks: later runs store nothing more. */
template <class F, class R> struct dfi_promise {
    F f;
    std::shared_ptr<dfi_state<R>> state;
    template <class... S>
    auto operator()(S &&... s) -> decltype(static_cast<void>(std::declval<F &>()(std::forward<S>(s)...)))
    {
        auto bound = [&]() -> R { return this->f(std::forward<S>(s)...); };
        if (state->ended) {
            bound();
            return;
        }
        state->ended = true;
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

template <class R> class future {
    std::shared_ptr<dfi_state<R>> state;
public:
    future() {}
    explicit future(std::shared_ptr<dfi_state<R>> &&s) : state(std::move(s)) {}
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
    R get()
    {
        const df_result r = df_wait_task(&state->handle);
        std::shared_ptr<dfi_state<R>> s(std::move(state));
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

template <class F, class... A> auto dfi_async(const df_opts *opts, const dfi_where &at, F &&f, const A &... a)
    -> future<typename std::decay<typename dfi_calls<typename std::decay<F>::type, typename A::kind...>::result>::type>
{
    typedef typename std::decay<F>::type body;
    typedef typename std::decay<typename dfi_calls<body, typename A::kind...>::result>::type R;
    std::shared_ptr<dfi_state<R>> s(new dfi_state<R>);
    dfi_promise<body, R> promise = { std::forward<F>(f), s };
    df_opts o = opts ? *opts : *DF_OPTS(.priority = 0);
    o.handle = &s->handle;
    dfi_submit_with(&o, at, std::move(promise), a...);
    return future<R>(std::move(s));
}
template <class F> auto async(F &&f, dfi_where at = dfi_where::here())
    -> decltype(dfi_async(NULL, at, std::forward<F>(f)))
{
    return dfi_async(NULL, at, std::forward<F>(f));
}
template <class F, unsigned m, class K, class... A>
auto async(F &&f, const dfi_accessed<m, K> &first, const A &... rest)
    -> decltype(dfi_async(NULL, first.at, std::forward<F>(f), first, rest...))
{
    return dfi_async(NULL, first.at, std::forward<F>(f), first, rest...);
}
template <class O, class F, class = dfi_if_task_options<O>>
auto async(O opts, F &&f, dfi_where at = dfi_where::here()) -> decltype(dfi_async(opts, at, std::forward<F>(f)))
{
    return dfi_async(opts, at, std::forward<F>(f));
}
template <class O, class F, unsigned m, class K, class... A, class = dfi_if_task_options<O>>
auto async(O opts, F &&f, const dfi_accessed<m, K> &first, const A &... rest)
    -> decltype(dfi_async(opts, first.at, std::forward<F>(f), first, rest...))
{
    return dfi_async(opts, first.at, std::forward<F>(f), first, rest...);
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

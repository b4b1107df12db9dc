/* df.hpp - loops, reductions and fork-join over C++ lambdas, as a header library
 *
 * WHAT  df::for_each, df::reduce and df::spawn take the code as a lambda, where df.h takes the name of a function that
 *       a line declares. C++11 and later. Everything of df.h is there as well, and both can be mixed.
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
 *           std::printf("%ld %.1f\n", fib(38), sum);
 *       }
 *
 * NOT   Tasks that are ordered by the memory that they access: df_submit of df.h, whose declarations DF_CHECK checks.
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
#include <new>
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
 *
 *     f may be any object that can be called, and is called as const by loops: by several threads at a time. An
 *     exception in it leaves the call of df, or sync, as with df.h (docs/cxx.md). Variables that f captures by
 *     reference must exist until the call, or sync, returns.
 *     What a loop remembers of the last ones, to run short loops on the calling thread, is kept for each lambda: give
 *     each loop its own. So is its name in messages, statistics and traces: function:line of the first call.
 *     Threads: any.
 *     Cost: a loop as df_for; spawn and sync together about 2 ns more than df_spawn and df_sync in C. */

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

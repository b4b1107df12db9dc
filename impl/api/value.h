/* value.h - parameters by value in the argument record of a task
 *
 * The runtime copies argument records as bytes. In C, and for trivially copyable types of C++, the field is the value
 * itself. For any other type it is a pointer to an object on the heap that the task owns: moved from the argument of
 * the call, moved into the parameter of the body, and destroyed after the body. A task graph that captured the task
 * owns the object from then on (`kept`), and each run gets a copy. If a task is not run, its record gets an order
 * (DFI_ORDER_*) instead. */
#ifndef DFI_API_VALUE_H
#define DFI_API_VALUE_H

#include "../base/compiler.h"
#include "../base/pp.h"
#include "task.h"

/* Orders: dfi_type.run with one of these instead of a result, if the type has DFI_HELD, does not call the body. DROP
 * destroys the objects that are not kept, KEEP makes all objects kept, FREE destroys all. */
#define DFI_ORDER_DROP ((void *)(uintptr_t)1)
#define DFI_ORDER_KEEP ((void *)(uintptr_t)2)
#define DFI_ORDER_FREE ((void *)(uintptr_t)3)

#if defined(__cplusplus)
#include <new>
#include <type_traits>
#include <utility>

DFI_CXX_BEGIN
template <typename dfi_t> struct dfi_align_check {
    static_assert(alignof(dfi_t) <= (size_t)DFI_ELEMENT_ALIGN,
                  "df.h: df_local: a type is aligned to more than 64 bytes, and df aligns to 64 at most: use a pointer "
                  "to memory of the program");
    enum { zero = 0 };
};

/* How a value is kept: as itself, as its bytes if it needs an alignment above that of records, or elsewhere. */
enum { DFI_VALUE_ELSEWHERE, DFI_VALUE_ITSELF, DFI_VALUE_BYTES };
template <typename dfi_t, bool plain> struct dfi_value_kind { enum { is = DFI_VALUE_ELSEWHERE }; };
template <typename dfi_t> struct dfi_value_kind<dfi_t, true> {
    enum { is = alignof(dfi_t) > (size_t)DFI_RECORD_ALIGN ? (int)DFI_VALUE_BYTES : (int)DFI_VALUE_ITSELF };
};

/* The representation of a value of type T in the record: `field`. This template: the value itself. */
template <typename dfi_t,
          int kind = dfi_value_kind<dfi_t, std::is_trivially_copyable<dfi_t>{} && !std::is_reference<dfi_t>{}>::is>
struct dfi_value {
    typedef typename std::remove_cv<dfi_t>::type object;
    typedef object field;
    typedef dfi_t seen;
    enum { modes = 0, ok = std::is_constructible<object, object &&>{} };
    static object hold(dfi_t &x) { return x; }
    static object hold_copy(dfi_t &x) { return x; }
    static object lend(dfi_t &x) { return x; }
    static const object &look(const field &f) { return f; }
    static const object &take(const field &f) { return f; }
    static void order(const field &, void *) {}
    static void put(void *at, dfi_t &x) { memcpy(at, (const void *)&x, sizeof x); }
};

template <typename dfi_t> struct dfi_value<dfi_t, DFI_VALUE_BYTES> {
    typedef typename std::remove_cv<dfi_t>::type object;
    struct field { alignas(DFI_RECORD_ALIGN) unsigned char bytes[sizeof(object)]; };
    typedef dfi_t seen;
    enum { modes = 0, ok = std::is_constructible<object, object &&>{} };
    static field hold(const dfi_t &x)
    {
        field f;
        memcpy(f.bytes, (const void *)&x, sizeof x);
        return f;
    }
    static field hold_copy(const dfi_t &x) { return hold(x); }
    static field lend(const dfi_t &x) { return hold(x); }
    static object look(const field &f)
    {
        union room { object x; room() {} } r;
        memcpy((void *)&r.x, f.bytes, sizeof r.x);
        return r.x;
    }
    static object take(const field &f) { return look(f); }
    static void order(const field &, void *) {}
    static void put(void *at, dfi_t &x) { memcpy(at, (const void *)&x, sizeof x); }
};

/* A reference: the address of the caller's object. */
template <typename dfi_t> struct dfi_value<dfi_t &, DFI_VALUE_ELSEWHERE> {
    struct field { dfi_t *p; };
    typedef dfi_t &seen;
    enum { modes = 0, ok = !std::is_const<dfi_t>{} };
    static field hold(dfi_t &x) { field f = { &x }; return f; }
    static field hold_copy(dfi_t &x) { return hold(x); }
    static field lend(dfi_t &x) { return hold(x); }
    static dfi_t &look(const field &f) { return *f.p; }
    static dfi_t &take(const field &f) { return *f.p; }
    static void order(const field &, void *) {}
    static void put(void *at, dfi_t &x) { field f = hold(x); memcpy(at, (const void *)&f, sizeof f); }
};

/* new and delete with an alignment, which C++ has from C++17 on. */
inline void *dfi_new(size_t bytes, size_t align)
{
    if (align <= (size_t)DFI_RECORD_ALIGN) return ::operator new(bytes);
    void *whole = ::operator new(bytes + align + sizeof whole);
    char *p = static_cast<char *>(whole) + sizeof whole;
    p += (0 - reinterpret_cast<uintptr_t>(p)) % align;
    memcpy(p - sizeof whole, (const void *)&whole, sizeof whole);
    return p;
}
inline void dfi_delete(void *p, size_t align)
{
    void *whole = p;
    if (p && align > (size_t)DFI_RECORD_ALIGN)
        memcpy((void *)&whole, static_cast<char *>(p) - sizeof whole, sizeof whole);
    ::operator delete(whole);
}

/* Any other type: a pointer to an object on the heap. */
template <typename dfi_t> struct dfi_value<dfi_t, DFI_VALUE_ELSEWHERE> {
    typedef typename std::remove_cv<typename std::remove_reference<dfi_t>::type>::type object;
    struct field { object *p; };
    struct box {
        object held; /* first: a field points to it */
        int kept;
        template <typename dfi_u> explicit box(dfi_u &&x) : held(static_cast<dfi_u &&>(x)), kept(0) {}
        static void *operator new(size_t bytes) { return dfi_new(bytes, alignof(object)); }
        static void operator delete(void *p) { dfi_delete(p, alignof(object)); }
    };
    typedef object &seen;
    enum { copies = std::is_copy_constructible<object>{} };
    enum { modes = copies ? DFI_HELD : DFI_HELD | DFI_HELD_ONCE };
    enum { ok = !std::is_reference<dfi_t>{} && std::is_constructible<object, object &&>{} };
    static box *of(const field &f) { return reinterpret_cast<box *>(f.p); }
    static field hold(dfi_t &x) { field f = { &(new box(std::move(x)))->held }; return f; }
    static field hold_copy(dfi_t &x)
    {
        field f = { &copy(x, std::integral_constant<bool, copies != 0>())->held };
        return f;
    }
    static field lend(dfi_t &x) { field f = { const_cast<object *>(&x) }; return f; }
    static object &look(const field &f) { return *f.p; }
    static object take(const field &f)
    {
        return of(f)->kept ? again(f, std::integral_constant<bool, copies != 0>()) : object(std::move(*f.p));
    }
    static void order(const field &f, void *what)
    {
        if (!f.p) return; /* an input of a node that has not been given */
        if (what == DFI_ORDER_KEEP) of(f)->kept = 1;
        else if (what == DFI_ORDER_FREE || !of(f)->kept) delete of(f);
    }
    /* Sets the field in the record of a node, or of a task graph, where it may have a value already. */
    static void put(void *at, dfi_t &x)
    {
        field before, f = hold(x);
        memcpy((void *)&before, at, sizeof before);
        memcpy(at, (const void *)&f, sizeof f);
        if (!before.p) return;
        of(f)->kept = 1;
        delete of(before);
    }
private:
    static box *copy(dfi_t &x, std::true_type) { return new box(static_cast<const object &>(x)); }
    static box *copy(dfi_t &x, std::false_type) { return new box(std::move(x)); }
    static object again(const field &f, std::true_type) { return object(static_cast<const object &>(*f.p)); }
    static object again(const field &f, std::false_type) { return object(std::move(*f.p)); } /* never kept */
};

/* Destroys the objects of the record after the body, also when an exception leaves the body. */
template <typename dfi_t> struct dfi_args_end {
    const dfi_t *args;
    DFI_MEMBER explicit dfi_args_end(const dfi_t *dfi_a) : args(dfi_a) {}
    DFI_MEMBER ~dfi_args_end() { args->dfi_order(DFI_ORDER_DROP); }
};
DFI_CXX_END
#define DFI_FIELD_OF(T)      typename dfi_value<T>::field
#define DFI_SEEN_OF(T)       typename dfi_value<T>::seen
#define DFI_HOLD(T, x)       dfi_value<T>::hold(x)
#define DFI_HOLD_COPY(T, x)  dfi_value<T>::hold_copy(x)
#define DFI_LEND_TO(T, x)    dfi_value<T>::lend(x)
#define DFI_LOOK_AT(T, x)    dfi_value<T>::look(x)
#define DFI_TAKE_FROM(T, x)  dfi_value<T>::take(x)
#define DFI_PUT(T, at, x)    dfi_value<T>::put((at), x)
#define DFI_MODES_OF(T)      | (unsigned)dfi_value<T>::modes
#define DFI_FORWARD(T, x)    std::forward<T>(x)
#define DFI_MOVED(x)         std::move(x)
/* members of an argument record, and statements around a call of the body */
#define DFI_ARGS_MEMBERS(n, ...) \
    DFI_MEMBER void dfi_order(void *dfi_what) const { (void)dfi_what; DFI_EACH_##n(DFI_ORDER, __VA_ARGS__) }
#define DFI_ARGS_END(name)   dfi_args_end<struct name##_dfi_args> dfi_end(dfi_a); (void)dfi_end;
#define DFI_ARGS_ORDERED(modes)                                          \
    if (((modes) & DFI_HELD) != 0 && (uintptr_t)dfi_r - 1u < 3u) {       \
        dfi_a->dfi_order(dfi_r);                                         \
        return;                                                          \
    }
#define DFI_ARGS_OK(kind, name, ...) DFI_NUMBERED(DFI_ARGS_OK_##kind, name, __VA_ARGS__)
#define DFI_ARGS_OK_task(name, k, t) DFI_ARGS_OK_(DFI_FITS_TASK, " of task ", DFI_FITS_NOT_TASK, name, k, DFI_OPEN t)
#define DFI_ARGS_OK_loop(name, k, t) DFI_ARGS_OK_(DFI_FITS_LOOP, " of loop ", DFI_FITS_NOT_LOOP, name, k, DFI_OPEN t)
#define DFI_ARGS_OK_kernel(name, k, t) \
    DFI_ARGS_OK_(DFI_FITS_KERNEL, " of kernel ", DFI_FITS_NOT_KERNEL, name, k, DFI_OPEN t)
#define DFI_ARGS_OK_(...) DFI_ARGS_OK_GO(__VA_ARGS__)
#define DFI_ARGS_OK_GO(fits, kind, otherwise, name, k, form, ...) \
    DFI_CAT(DFI_ARGS_OK_, DFI_IS_EMPTY(DFI_NOT_VALUE_##form))(fits, kind, otherwise, name, k, __VA_ARGS__)
#define DFI_ARGS_OK_0(...)
#define DFI_ARGS_OK_1(fits, kind, otherwise, name, k, mode, T, x) \
    static_assert(fits(T), "df.h: parameter " #k kind #name " is `(" #T ", " #x ")`: " otherwise);
#define DFI_FITS_TASK(T)   dfi_value<T>::ok
#define DFI_FITS_LOOP(T) /* a reference, to const as well: the caller waits for the loop */ \
    (std::is_lvalue_reference<T>{} || \
     (dfi_value<T>::ok && \
      std::is_constructible<typename std::decay<T>::type, const typename std::decay<T>::type &>{}))
#define DFI_FITS_KERNEL(T) (std::is_trivially_copyable<T>{} && dfi_value<T>::ok)
#define DFI_FITS_NOT_TASK \
    "the task keeps a value, and this one can neither be moved nor copied: " \
    "pass a pointer to it, or an object instead of a const reference"
#define DFI_FITS_NOT_LOOP "each part of the loop gets a copy, and this one cannot be copied: pass a pointer to it"
#define DFI_FITS_NOT_KERNEL \
    "a kernel is given the bytes of the value, which must be trivially copyable: pass a pointer to it"
#define DFI_NOT_VALUE_dfi_f_value
#define DFI_NOT_VALUE_dfi_f_none    *
#define DFI_NOT_VALUE_dfi_f_array   *
#define DFI_NOT_VALUE_dfi_f_block   *
#define DFI_NOT_VALUE_dfi_f_range   *
#define DFI_NOT_VALUE_dfi_f_reduce  *
#define DFI_NOT_VALUE_dfi_f_reduce2 *
#define DFI_NOT_VALUE_dfi_f_pop     *
#define DFI_NOT_VALUE_dfi_f_peek    *
#define DFI_NOT_VALUE_dfi_f_popv    *
#define DFI_NOT_VALUE_dfi_f_owm     *

#else

#define DFI_FIELD_OF(T)      T
#define DFI_SEEN_OF(T)       T
#define DFI_HOLD(T, x)       x
#define DFI_HOLD_COPY(T, x)  x
#define DFI_LEND_TO(T, x)    x
#define DFI_LOOK_AT(T, x)    x
#define DFI_TAKE_FROM(T, x)  x
#define DFI_PUT(T, at, x)    memcpy((at), (const void *)&x, sizeof x)
#define DFI_MODES_OF(T)
#define DFI_FORWARD(T, x)    x
#define DFI_MOVED(x)         x
#define DFI_ARGS_MEMBERS(n, ...)
#define DFI_ARGS_END(name)
#define DFI_ARGS_ORDERED(modes)
#define DFI_ARGS_OK(kind, name, ...)

#endif

/* Gives an order to a record whose body will not be called again. */
DFI_UNUSED static void dfi_args_order(const struct dfi_type *type, void *args, void *order)
{
    if (DFI_UNLIKELY(type->modes & DFI_HELD)) type->run(args, order);
}

#endif

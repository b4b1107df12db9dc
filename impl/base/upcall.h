/* upcall.h - upcalls: functions of an upper floor that a lower floor calls
 *
 * The lower floor declares an upcall (DFI_UPCALL) and calls it; one file of an upper floor says which function it is;
 * upcalls.h lists them. They are constants that the compiler knows at the end of the file, so a call costs what a
 * direct call costs. An upcall that no file defines is NULL: a test of it folds away, with the code behind the test.
 * Likewise DFI_LATER: a constant that an upper floor decides, such as the size of a record.
 *
 *     DFI_UPCALL(int, dfi_up_find, (struct dfi_worker *w));         lower floor
 *     if (dfi_up_find && dfi_up_find(w)) ..
 *     #define dfi_up_find_by , dfi_team_find                        upper floor; the comma makes it a second argument
 *     DFI_UP(dfi_up_find)                                           impl/upcalls.h
 *
 * Source: Clark, "The structuring of systems using upcalls", SOSP 1985. */
#ifndef DFI_BASE_UPCALL_H
#define DFI_BASE_UPCALL_H

#include "compiler.h"

#if defined(__cplusplus) /* has no tentative definitions, but declarations of constants in an unnamed namespace */
#define DFI_LATER(type, name)            namespace { DFI_UNUSED extern type const name; } DFI_STATIC_ASSERT(1, "")
#define DFI_LATER_IS(type, name, value)  namespace { DFI_UNUSED type const name = value; } DFI_STATIC_ASSERT(1, "")
#define DFI_LATER_NONE(type, name)       DFI_LATER_IS(type, name, 0)
#else
#define DFI_LATER(type, name)            DFI_UNUSED static type const name
#define DFI_LATER_IS(type, name, value)  static type const name = value
#define DFI_LATER_NONE(type, name)       DFI_LATER(type, name)
#endif

/* The text behind a condition that is a macro of the value 1, or with the value 0 none. */
#define DFI_IF(condition, ...) DFI_CAT(DFI_IF_, condition)(__VA_ARGS__)
#define DFI_IF_1(...)          __VA_ARGS__
#define DFI_IF_0(...)

#define DFI_UPCALL(result, name, parameters)                                                                           \
    typedef result (*name##_fn) parameters;                                                                            \
    DFI_LATER(name##_fn, name)
/* The value of an upcall: the second argument of name##_by, if that is defined, or NULL. */
#define DFI_UP(name)                         DFI_UP_BY(name, name##_by)
#define DFI_UP_BY(name, by)                  DFI_UP_IS(name, by, NULL, )
#define DFI_UP_IS(name, by, function, ...)   DFI_LATER_IS(name##_fn, name, function);

/* A room: what an upper floor has behind a record of a lower one. Declares dfi_x_of(record). impl/rooms.h says where
 * it is in the whole record. */
#define DFI_ROOM(type, of, record)                                                                                     \
    DFI_LATER(size_t, of##_room);                                                                                      \
    DFI_INLINE struct type *of(const struct record *r)                                                                 \
    {                                                                                                                  \
        return (struct type *)(void *)((char *)(uintptr_t)r + of##_room);                                              \
    }                                                                                                                  \
    DFI_STATIC_ASSERT(1, "")

#endif

/* version.h - the version of df: DF_VERSION, DF_VERSION_STRING, and the ending of symbols that holds it
 *
 * docs/versions.md says what a number promises. Makefile, CMakeLists.txt and meson.build read it here. */
#ifndef DFI_BASE_VERSION_H
#define DFI_BASE_VERSION_H

#define DF_VERSION_MAJOR 0
#define DF_VERSION_MINOR 9
#define DF_VERSION_PATCH 0

#define DF_VERSION (10000 * DF_VERSION_MAJOR + 100 * DF_VERSION_MINOR + DF_VERSION_PATCH)
#define DF_VERSION_STRING DFI_DOTTED(DF_VERSION_MAJOR, DF_VERSION_MINOR, DF_VERSION_PATCH)

/* The number of the binary interface of libdf.so (docs/libdf.md): larger by one when that takes back a promise. */
#define DF_ABI 0
/* Is this code of libdf.so, or of a program that uses it? */
#if defined(DF_LIBRARY)
#define DFI_LIBRARY 1
#else
#define DFI_LIBRARY 0
#endif

#define DFI_DOTTED(major, minor, patch)  DFI_DOTTED_(major, minor, patch)
#define DFI_DOTTED_(major, minor, patch) #major "." #minor "." #patch

/* name__of_version_0_9_0: a symbol that files of another version, kind or copy neither define nor refer to. Inline code
 * of df.h knows the records of the implementation, which change without notice, so both must have the same version.
 * name__0_9_0 is the ending of all other names (names.h). */
#define DFI_OF_VERSION(name) DFI_OF_BUILD(name##__of_version)
#define DFI_OF_COPY(name)    DFI_OF_BUILD(name##_)
#define DFI_OF_BUILD(name)   DFI_OF_BUILD_(name, DF_VERSION_MAJOR, DF_VERSION_MINOR, DF_VERSION_PATCH, DFI_BUILD)
#define DFI_OF_BUILD_(name, major, minor, patch, build) DFI_OF_THE(name, major, minor, patch, build)
#define DFI_OF_THE(name, major, minor, patch, build) name##_##major##_##minor##_##patch##build

#if defined(DF_SERIAL)
#define DFI_SERIAL_OR_NOT _serial
#else
#define DFI_SERIAL_OR_NOT
#endif
#if defined(DF_COPY)
#define DFI_BUILD              DFI_BUILD_(DFI_SERIAL_OR_NOT, DF_COPY)
#define DFI_BUILD_(kind, copy) DFI_BUILD_OF(kind, copy)
#define DFI_BUILD_OF(kind, copy) kind##_##copy
#else
#define DFI_BUILD DFI_SERIAL_OR_NOT
#endif

#endif

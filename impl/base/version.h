/* version.h - the version of df: DF_VERSION, DF_VERSION_STRING, and names of symbols that hold it
 *
 * docs/versions.md says what a number promises. Makefile, CMakeLists.txt and meson.build read it here. */
#ifndef DFI_BASE_VERSION_H
#define DFI_BASE_VERSION_H

#define DF_VERSION_MAJOR 0
#define DF_VERSION_MINOR 9
#define DF_VERSION_PATCH 0

#define DF_VERSION (10000 * DF_VERSION_MAJOR + 100 * DF_VERSION_MINOR + DF_VERSION_PATCH)
#define DF_VERSION_STRING DFI_DOTTED(DF_VERSION_MAJOR, DF_VERSION_MINOR, DF_VERSION_PATCH)

#define DFI_DOTTED(major, minor, patch)  DFI_DOTTED_(major, minor, patch)
#define DFI_DOTTED_(major, minor, patch) #major "." #minor "." #patch

/* name__of_version_0_9_0: a symbol that files of another version neither define nor refer to. Inline code of df.h
 * knows the records of the implementation, which change without notice, so both must have the same version. */
#define DFI_OF_VERSION(name) DFI_OF_VERSION_(name, DF_VERSION_MAJOR, DF_VERSION_MINOR, DF_VERSION_PATCH)
#define DFI_OF_VERSION_(name, major, minor, patch) DFI_OF_THE(name, major, minor, patch)
#define DFI_OF_THE(name, major, minor, patch) name##__of_version_##major##_##minor##_##patch

#endif

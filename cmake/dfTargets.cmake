# The targets of df, for a source tree and for an installed package. pre: DF_HEADERS is the folder of df.h.
#
# df::df has no file to build: it is imported in both cases, so that no other target can have its name, and a program that
# is exported refers to it by that name. df::implementation is compiled with the program, because it needs the same
# compiler and the same settings; target_compile_definitions(df_implementation PRIVATE DF_SMALL) chooses parts.

if(NOT TARGET df::df)
    find_package(Threads REQUIRED)
    get_property(DF_LANGUAGES GLOBAL PROPERTY ENABLED_LANGUAGES)
    add_library(df::df INTERFACE IMPORTED GLOBAL)
    set_target_properties(df::df PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DF_HEADERS}")
    target_link_libraries(df::df INTERFACE Threads::Threads)
    # CMake refuses requirements for a language that the project does not use.
    if("C" IN_LIST DF_LANGUAGES)
        target_compile_features(df::df INTERFACE c_std_11)
    endif()
    if("CXX" IN_LIST DF_LANGUAGES)
        target_compile_features(df::df INTERFACE cxx_std_11)
    endif()

    add_library(df_implementation STATIC EXCLUDE_FROM_ALL "${DF_HEADERS}/impl/df.c")
    add_library(df::implementation ALIAS df_implementation)
    target_link_libraries(df_implementation PUBLIC df::df PRIVATE ${CMAKE_DL_LIBS})
    set_target_properties(df_implementation PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(NOT "C" IN_LIST DF_LANGUAGES)
        set_source_files_properties("${DF_HEADERS}/impl/df.c" PROPERTIES LANGUAGE CXX)
    endif()
endif()

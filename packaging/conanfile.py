"""A recipe for Conan 2:  conan create packaging

The package has the headers, which programs compile. `find_package(df)` of CMakeDeps defines df::df."""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout


class Df(ConanFile):
    name = "df"
    description = "Dataflow and task parallelism for plain C, in headers"
    license = "MIT"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "impl", "base", "version.h"))
        self.version = ".".join(re.findall(r"#define DF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..")
        for pattern in ("df*.h", "impl/*.h", "impl/df.c", "tools/df-gdb.py", "LICENSE"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def package(self):
        include = os.path.join(self.package_folder, "include", "df")
        copy(self, "df*.h", self.source_folder, include)
        copy(self, "impl/*", self.source_folder, include)
        copy(self, "df-gdb.py", os.path.join(self.source_folder, "tools"),
             os.path.join(self.package_folder, "share", "df"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.includedirs = [os.path.join("include", "df")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "df")
        self.cpp_info.set_property("cmake_target_name", "df::df")
        self.cpp_info.set_property("pkg_config_name", "df")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]

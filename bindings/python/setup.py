# The package in C contains df: the headers of this repository, two folders above.
import os
import re

from setuptools import Extension, setup

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "..", ".."))
with open(os.path.join(root, "impl", "base", "version.h")) as f:
    version = ".".join(re.findall(r"#define DF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", f.read()))

setup(version=version,
      ext_modules=[Extension("df._df", ["df/_df.c"], include_dirs=[root],
                             extra_compile_args=["-std=gnu11", "-O2", "-pthread"], extra_link_args=["-pthread"])])

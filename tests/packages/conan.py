"""Runs packaging/conanfile.py with stand-ins for the modules of Conan:  conan.py RECIPE VERSION FOLDER

Exports the sources to FOLDER/export, makes the package in FOLDER/package, and checks the version."""
import fnmatch
import importlib.util
import os
import shutil
import sys
import types


def copy(recipe, pattern, src, dst):
    del recipe
    for folder, _, files in os.walk(src):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), src)
            if path.startswith(("build", ".git")) or not fnmatch.fnmatch(path, pattern):
                continue
            os.makedirs(os.path.dirname(os.path.join(dst, path)), exist_ok=True)
            shutil.copy(os.path.join(src, path), os.path.join(dst, path))


def load(recipe, path):
    del recipe
    with open(path, encoding="utf-8") as f:
        return f.read()


def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(names)


module("conan", ConanFile=object)
module("conan.tools")
module("conan.tools.files", copy=copy, load=load)
module("conan.tools.layout", basic_layout=lambda recipe: None)
recipe_file, version, out = sys.argv[1], sys.argv[2], sys.argv[3]
spec = importlib.util.spec_from_file_location("conanfile", recipe_file)
conanfile = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conanfile)
recipe = conanfile.Df()
recipe.recipe_folder = os.path.abspath(os.path.dirname(recipe_file))
recipe.export_sources_folder = recipe.source_folder = os.path.join(out, "export")
recipe.package_folder = os.path.join(out, "package")
recipe.set_version()
recipe.export_sources()
recipe.package()
sys.exit(f"version {recipe.version}, not {version}" if recipe.version != version else 0)

"""usage: python3 tests/package/conan_recipe.py DIRECTORY CLUSTER REDIS

Runs the recipe as Conan would, as far as Troupe is concerned: copies what it exports to DIRECTORY/source, configures that
with the options in DIRECTORY/build, and builds nothing. The classes here stand for those of Conan.
"""

import glob
import os
import runpy
import shutil
import subprocess
import sys
import types

place, cluster, redis = sys.argv[1], sys.argv[2] == "on", sys.argv[3] == "on"
recipe = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "deploy", "conan", "conanfile.py")
source = os.path.join(place, "source")
asked = []


class Options(dict):
    __getattr__ = dict.__getitem__

    def rm_safe(self, name):
        self.pop(name, None)

    def get_safe(self, name, default=None):
        return self.get(name, default)


class Apt:
    def __init__(self, of):
        pass

    def install(self, packages, check):
        asked.extend(packages)

    def install_substitutes(self, *choices):
        asked.extend(choices[-1])


class Toolchain:
    def __init__(self, of):
        self.cache_variables = of.given = {}

    def generate(self):
        pass


class CMake:
    def __init__(self, of):
        self.given = of.given

    def configure(self):
        options = [f"-D{name}={'ON' if value else 'OFF'}" for name, value in self.given.items()]
        where = ["-G", "Ninja", "-S", source, "-B", os.path.join(place, "build")]
        subprocess.run(["cmake", *where, *options], check=True, stdout=subprocess.DEVNULL)

    def build(self):
        pass


def copy(of, pattern, here, there):
    for found in glob.glob(os.path.join(here, pattern)):
        to = os.path.join(there, os.path.relpath(found, here))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copytree(found, to) if os.path.isdir(found) else shutil.copy(found, to)


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


module("conan", ConanFile=object)
module("conan.errors", ConanInvalidConfiguration=Exception)
for name in ("conan.tools", "conan.tools.system"):
    module(name)
module("conan.tools.build", check_min_cppstd=lambda of, least: None)
module("conan.tools.cmake", CMake=CMake, CMakeToolchain=Toolchain, cmake_layout=lambda of: None)
module("conan.tools.files", copy=copy, load=lambda of, path: open(path, encoding="utf-8").read())
module("conan.tools.system.package_manager", Apt=Apt)

one = runpy.run_path(recipe)["Troupe"]()
assert set(one.options) == set(one.default_options)
one.recipe_folder, one.export_sources_folder, one.version = os.path.dirname(recipe), source, None
one.settings = types.SimpleNamespace(os="Linux")
one.options = Options(cluster=cluster, redis=redis)
one.set_version()
one.export_sources()
for step in (one.configure, one.validate, one.system_requirements, one.layout, one.generate, one.build):
    step()
print(one.version, *asked)

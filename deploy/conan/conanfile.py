"""Troupe's library for Conan 2, of the sources that this file lies in: conan create TROUPE/deploy/conan

What Troupe needs comes from the distribution, all of it: Conan Center has no cjose, and no CAF as old as ours. These two
are linked to the distribution's OpenSSL, and one process must not have two of them. For the same reason a host takes
Boost, which is in the headers of servers of its own, and OpenSSL from the distribution. With
`-c tools.system.package_manager:mode=install` Conan installs them, otherwise it says what is missing.
"""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

PARTS = ("CMakeLists.txt", "LICENSE", "actors/*", "net/*", "protocol/*", "deploy/console/*")


class Troupe(ConanFile):
    name = "troupe"
    description = "A gateway for the Model Context Protocol in a program of your own"
    license = "Apache-2.0"
    topics = ("mcp", "actors", "gateway")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cluster": [True, False], "redis": [True, False]}
    default_options = {"cluster": True, "redis": True}

    @property
    def _sources(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._sources, "CMakeLists.txt"))
        self.version = self.version or text.split("project(troupe VERSION ")[1].split()[0]

    def export_sources(self):
        for part in PARTS:
            copy(self, part, self._sources, self.export_sources_folder)

    def configure(self):
        if not self.options.cluster:
            self.options.rm_safe("redis")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Troupe is for Linux")
        check_min_cppstd(self, 20)

    def system_requirements(self):
        apt = Apt(self)
        # Debian 12 has the newer Boost beside an older one.
        apt.install_substitutes(
            ["libboost1.81-dev", "libboost-json1.81-dev", "libboost-url1.81-dev"],
            ["libboost-dev", "libboost-json-dev", "libboost-url-dev"],
        )
        apt.install(["libcaf-dev", "libcjose-dev", "libssl-dev", "prometheus-cpp-dev"], check=True)
        if self.options.get_safe("redis"):
            apt.install(["libhiredis-dev"], check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TROUPE_TESTS"] = False
        toolchain.cache_variables["TROUPE_PROGRAM"] = False
        toolchain.cache_variables["TROUPE_CLUSTER"] = bool(self.options.cluster)
        toolchain.cache_variables["TROUPE_REDIS"] = bool(self.options.get_safe("redis", False))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install(component="library")

    def package_info(self):
        # Troupe's own CMake package knows what it links to.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "troupe"))

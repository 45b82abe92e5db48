# Untested. A recipe for Conan 2, run from a checkout: conan create packaging/conan
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Snag(ConanFile):
    name = "snag"
    license = "MIT"
    description = "Finds where deforming meshes catch on each other and on themselves"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "io": [True, False]}
    default_options = {"shared": False, "fPIC": True, "io": True}
    package_type = "library"

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._checkout, "include", "snag", "base.h"))
        self.version = re.search(r'#define SNAG_VERSION "(.*?)"', header).group(1)

    def export_sources(self):
        for pattern in ["CMakeLists.txt", "LICENSE", "cmake/*", "common/*", "include/*", "io/*", "sim/*", "src/*"]:
            copy(self, pattern, self._checkout, self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        # C alone.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def requirements(self):
        if self.options.io:
            self.requires("zlib/[>=1.2.11 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ["SNAG_IO", "SNAG_SIM"]:
            toolchain.cache_variables[name] = bool(self.options.io)
        toolchain.cache_variables["SNAG_TOOL"] = False
        toolchain.cache_variables["SNAG_ASSIMP"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "snag")
        libraries = ["snag", "snag_io", "snag_sim"] if self.options.io else ["snag"]
        for library in libraries:
            component = self.cpp_info.components[library]
            component.libs = [library]
            component.set_property("cmake_target_name", f"snag::{library}")
            component.set_property("pkg_config_name", library)
            if library != "snag":
                component.requires = ["snag"]
            if library == "snag_io":
                component.requires.append("zlib::zlib")
            if self.options.shared:
                component.defines = ["SNAG_SHARED=1"]
            if self.settings.os == "Linux":
                component.system_libs = ["m", "pthread", "dl"]

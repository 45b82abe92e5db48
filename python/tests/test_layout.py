"""The layout of structs is that of the headers, and libraries that do not fit are refused."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import PACKAGE, ROOT, libraries, run_python

import snag

COMPILER = shutil.which(os.environ.get("CC", "cc"))
IN_SOURCES = os.path.exists(os.path.join(ROOT, "include", "snag", "base.h"))


class Layout(unittest.TestCase):
    def test_sizes_and_offsets(self):
        import ctypes
        for struct, (size, offsets) in snag._layout.SIZES.items():
            self.assertEqual(ctypes.sizeof(struct), size, struct.__name__)
            self.assertEqual([getattr(struct, f[0]).offset for f in struct._fields_], offsets, struct.__name__)

    @unittest.skipUnless(COMPILER and IN_SOURCES, "needs a C compiler and the headers")
    def test_the_generated_files_are_up_to_date(self):
        made = subprocess.run([sys.executable, os.path.join(PACKAGE, "tools", "make_layout.py"), "--check"], capture_output=True, text=True)
        self.assertEqual((made.returncode, made.stderr), (0, ""))

    @unittest.skipUnless(COMPILER and IN_SOURCES, "needs a C compiler and the headers")
    def test_every_function_of_the_headers_is_there(self):
        import re
        declared = set()
        for name in os.listdir(os.path.join(ROOT, "include", "snag")):
            if name == "mpi.h":  # for programs that run under MPI; the package has no part in it
                continue
            with open(os.path.join(ROOT, "include", "snag", name)) as header:
                declared.update(re.findall(r"^SNAG_API [^;(]*?(\w+)\(", header.read(), flags=re.M))
        self.assertEqual(declared, set(snag._layout.FUNCTIONS))
        for name in declared:
            self.assertTrue(callable(getattr(snag._native.lib, name)), name)


@unittest.skipUnless(COMPILER and IN_SOURCES, "needs a C compiler and the headers")
class Mismatch(unittest.TestCase):
    """What is not the library that the package was made for is an ImportError."""

    def imports(self, core, helper=None):
        """Imports the package with other libraries in the place of its own."""
        with tempfile.TemporaryDirectory() as folder:
            for name, source, own in zip(("libsnag.so", "libsnag_python.so"), (core, helper), libraries()):
                target = os.path.join(folder, name)
                if source is None:
                    os.symlink(own, target)
                elif source:
                    path = os.path.join(folder, "fake.c")
                    with open(path, "w") as out:
                        out.write(source)
                    subprocess.run([COMPILER, "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), path, "-o", target], check=True)
            done = run_python("import snag", env={"SNAG_LIBRARY_PATH": folder})
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("ImportError: snag: ", done.stderr)
        return done.stderr

    def test_no_library(self):
        self.assertIn("SNAG_LIBRARY_PATH", self.imports(""))

    def test_not_a_library_of_ours(self):
        self.assertIn("has no snag_version", self.imports("int x;"))

    def test_another_version(self):
        self.assertIn("libsnag has version 0.3.0", self.imports('const char *snag_version(void) { return "0.3.0"; }'))

    def test_a_function_is_missing(self):
        self.assertIn("there is no snag_", self.imports('const char *snag_version(void) { return "%s"; }' % snag.__version__))

    def test_a_struct_of_another_size(self):
        helper = """
            #include <stddef.h>
            const char *snag_python_version(void) { return "%s"; }
            struct { const char *name; size_t size; } snag_python_structs[] = {{"snag_contact", 264}, {NULL, 0}};
        """ % snag.__version__
        self.assertIn("snag_contact has 264 bytes", self.imports(None, helper))

    def test_a_def_of_another_version(self):
        names = [n for n, f in snag._layout.FUNCTIONS.items() if f[0] == "snag" and n != "snag_version" and n != "snag_default_world_def"]
        core = 'const char *snag_version(void) { return "%s"; }\n' % snag.__version__
        core += "typedef struct { unsigned cookie; char more[200]; } big;\n"  # larger than the package knows it
        core += "big snag_default_world_def(void) { big b = {0x534e0301}; return b; }\n"
        core += "\n".join("void %s(void) {}" % n for n in names)
        self.assertIn("def of another version", self.imports(core))


if __name__ == "__main__":
    unittest.main()

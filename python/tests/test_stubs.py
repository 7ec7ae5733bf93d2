# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests what a reader of help() and a type checker get: the docstrings, and the types in
mpgpu/__init__.pyi."""
import importlib.util
import inspect
import os
import pydoc
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import mpgpu
from mpgpu import paillier

HERE = Path(__file__).resolve().parent
HAS_MYPY = importlib.util.find_spec("mypy") is not None
# Names that every object has, or that only Python itself uses.
OBJECTS = {name for name in dir(object)} | {"__del__", "__dict__", "__module__", "__weakref__", "__array_ufunc__"}


def blocks():
    """Returns the Python programs of README.md as one text."""
    text = (HERE.parent / "README.md").read_text()
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


class Help(unittest.TestCase):
    def public(self):
        """Yields all public names of the module and of mpgpu.paillier, and the members of their public
        classes."""
        for name, x in [(name, getattr(module, name)) for module in (mpgpu, paillier) for name in module.__all__]:
            yield name, x
            if inspect.isclass(x) and not issubclass(x, Exception):
                for kind in x.__mro__[:-1]:
                    for member, y in vars(kind).items():
                        if member not in OBJECTS and not re.match("_[^_]", member):
                            yield f"{name}.{member}", y

    def test_docstrings(self):
        names = dict(self.public())
        self.assertGreater(len(names), 120)
        for name in ("Number.__floordiv__", "Number.__rpow__", "Batch.__getitem__", "Batch.close", "BatchModulus.pow", "device",
                     "PublicKey.encrypt", "PrivateKey.decrypt", "Ciphertexts.__add__", "generate"):
            self.assertIn(name, names)
        special = {"__copy__", "__deepcopy__", "__enter__", "__exit__"}
        bare = [name for name, x in names.items() if name.split(".")[-1] not in special and not inspect.getdoc(x)]
        self.assertEqual(bare, [])

    def test_help(self):
        """help(mpgpu) has every public name, and help(mpgpu.Number) the docstrings of its
        operators."""
        text = pydoc.plain(pydoc.render_doc(mpgpu))
        for name in mpgpu.__all__:
            self.assertIn(name, text)
        text = pydoc.plain(pydoc.render_doc(paillier))
        for name in (*paillier.__all__, "rerandomize", "raw_decrypt", "What is not protected"):
            self.assertIn(name, text)
        self.assertIn("Returns self // other, as int does.", pydoc.plain(pydoc.render_doc(mpgpu.Number)))

    def test_names(self):
        """The public names of the module are those in __all__ and its submodules, no others."""
        files = {path.stem for path in Path(mpgpu.__file__).parent.glob("*.py")}
        public = {name for name in vars(mpgpu) if not name.startswith("_")} - files
        self.assertEqual(public, set(mpgpu.__all__))
        self.assertEqual(mpgpu.__version__, mpgpu.version())
        self.assertEqual({name for name, x in vars(paillier).items() if getattr(x, "__module__", "") == paillier.__name__
                          and not name.startswith("_")}, set(paillier.__all__))


@unittest.skipUnless(HAS_MYPY, "mypy is not installed")
class Types(unittest.TestCase):
    def mypy(self, *words):
        """Runs mypy in a new folder.  Returns its exit status and output."""
        folder = str(Path(mpgpu.__file__).parent.parent.resolve())
        environment = dict(os.environ, MYPYPATH=folder, PYTHONPATH=folder)
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=self.folder, env=environment)
        return done.returncode, done.stdout + done.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def strict(self, name, text):
        path = Path(self.folder, name)
        path.write_text(text)
        return self.mypy("mypy", "--strict", "--cache-dir", "cache", str(path))

    def test_examples(self):
        examples = sorted((HERE.parent / "examples").glob("*.py"))
        self.assertGreaterEqual(len(examples), 4)
        for name, program in (("readme.py", blocks()), *((path.name, path.read_text()) for path in examples)):
            status, text = self.strict(name, program)
            self.assertEqual(status, 0, text)

    def test_mistakes(self):
        """mypy reports calls that would raise TypeError, and infers the types of results."""
        program = """import mpgpu
from mpgpu import paillier
q = mpgpu.Queue()
x = q.number(3)
a: int = x + 1
b: float = x + 1.5
c: mpgpu.Number = 1 - x // 2 % 3 << 4
x + "3"
x << 1.5
mpgpu.Batch(1.5)
d: int = mpgpu.Batch([1])[0]
e: int = mpgpu.Batch([1])[0:1]
x < None
mpgpu.mul([1], None)
public = paillier.PublicKey(15)
public.encrypt([1.5])
e = public.encrypt(1) * 1.5
f: paillier.Ciphertexts = 3 - public.encrypt(range(9)) * mpgpu.Batch([1])
f.decrypt()
"""
        status, text = self.strict("mistakes.py", program)
        lines = sorted({int(line) for line in re.findall(r"^mistakes.py:(\d+): error", text, re.MULTILINE)})
        self.assertEqual((status, lines), (1, [5, 8, 9, 10, 12, 13, 14, 16, 17, 19]), text)

    def test_stubs(self):
        """The stubs have the names, arguments and defaults that the module has."""
        Path(self.folder, "mypy.ini").write_text("[mypy]\nignore_errors = True\nignore_missing_imports = True\n")
        # permits submodules, except paillier, to have no stub files
        Path(self.folder, "allowed").write_text("mpgpu\\.(?!paillier)[a-z]+\\..*\n")
        words = ("mypy.stubtest", "mpgpu", "--concise", "--mypy-config-file", "mypy.ini", "--allowlist", "allowed")
        status, text = self.mypy(*words, "--ignore-unused-allowlist")
        self.assertEqual(status, 0, text)


if __name__ == "__main__":
    unittest.main()

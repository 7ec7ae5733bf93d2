# SPDX-License-Identifier: LGPL-3.0-or-later
"""What a reader of help() and a type checker see: docstrings, and the types of mpgpu/__init__.pyi."""
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
# What every object has, and what Python calls by itself.
OBJECTS = {name for name in dir(object)} | {"__del__", "__dict__", "__module__", "__weakref__", "__array_ufunc__"}


def blocks():
    """The programs of the README."""
    text = (HERE.parent / "README.md").read_text()
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


class Help(unittest.TestCase):
    def public(self):
        """All public names, and the members of public classes."""
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
        """help() of the module has every name, and that of Number the operators' texts."""
        text = pydoc.plain(pydoc.render_doc(mpgpu))
        for name in mpgpu.__all__:
            self.assertIn(name, text)
        text = pydoc.plain(pydoc.render_doc(paillier))
        for name in (*paillier.__all__, "rerandomize", "raw_decrypt", "What is not protected"):
            self.assertIn(name, text)
        self.assertIn("Returns self // other, as int does.", pydoc.plain(pydoc.render_doc(mpgpu.Number)))

    def test_names(self):
        """The module has no public names beside __all__ and its own files."""
        files = {path.stem for path in Path(mpgpu.__file__).parent.glob("*.py")}
        public = {name for name in vars(mpgpu) if not name.startswith("_")} - files
        self.assertEqual(public, set(mpgpu.__all__))
        self.assertEqual(mpgpu.__version__, mpgpu.version())
        self.assertEqual({name for name, x in vars(paillier).items() if getattr(x, "__module__", "") == paillier.__name__
                          and not name.startswith("_")}, set(paillier.__all__))


@unittest.skipUnless(HAS_MYPY, "mypy is not installed")
class Types(unittest.TestCase):
    def mypy(self, *words):
        """Returns what mypy says in a new folder."""
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
        """The checker finds what would raise TypeError, and knows the results' types."""
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
        Path(self.folder, "allowed").write_text("mpgpu\\.(?!paillier)[a-z]+\\..*\n")  # files that have no stub
        words = ("mypy.stubtest", "mpgpu", "--concise", "--mypy-config-file", "mypy.ini", "--allowlist", "allowed")
        status, text = self.mypy(*words, "--ignore-unused-allowlist")
        self.assertEqual(status, 0, text)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: LGPL-3.0-or-later
"""paillier_bench.py BITS COUNT [SECONDS]: measures operations of Paillier's cryptosystem a second.

Each operation computes batches of COUNT numbers with a key of BITS bits, for SECONDS seconds
(default: 2).  If phe and gmpy2 are installed, phe is measured too, in one process for each core,
and the results are compared."""
import importlib
import importlib.util
import multiprocessing
import os
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Optional

import mpgpu
from mpgpu import paillier

Operation = Callable[[], Any]
FACTOR = 2**32 - 5
CORES = len(os.sched_getaffinity(0))


class Side(NamedTuple):
    """The operations of one implementation, this module or phe, on the same batch of numbers."""

    encrypt: Operation
    encrypt_by_owner: Optional[Operation]
    decrypt: Operation
    add: Operation
    mul: Operation


def ours(private: paillier.PrivateKey, values: list[int], numbers: list[int]) -> Side:
    public = private.public
    c = public.ciphertexts(numbers)
    return Side(
        lambda: public.encrypt(values).tolist(),
        lambda: private.encrypt(values).tolist(),
        lambda: private.decrypt(c),
        lambda: (c + c).tolist(),
        lambda: c.mul(FACTOR).tolist(),
    )


keys: list[Any] = []  # phe's, in a process of the pool


def begin(p: int, q: int) -> None:
    phe = importlib.import_module("phe")
    public = phe.PaillierPublicKey(p * q)
    keys[:] = [public, phe.PaillierPrivateKey(public, p, q), phe.EncryptedNumber]


def encrypt(value: int) -> Any:
    return keys[0].encrypt(value).ciphertext(be_secure=False)


def decrypt(number: int) -> Any:
    return keys[1].decrypt(keys[2](keys[0], number))


def add(number: int) -> Any:
    c = keys[2](keys[0], number)
    return (c + c).ciphertext(be_secure=False)


def mul(number: int) -> Any:
    return (keys[2](keys[0], number) * FACTOR).ciphertext(be_secure=False)


def theirs(pool: Any, values: list[int], numbers: list[int]) -> Side:
    def mapped(function: Callable[[int], Any], given: list[int]) -> Operation:
        return lambda: pool.map(function, given, -(-len(given) // CORES))

    return Side(mapped(encrypt, values), None, mapped(decrypt, numbers), mapped(add, numbers), mapped(mul, numbers))


def rate(operation: Operation, count: int, seconds: float) -> float:
    """Returns how many numbers a second the operation computes.  An untimed run comes first."""
    operation()
    runs, start = 0, time.monotonic()
    while True:
        operation()
        runs += 1
        passed = time.monotonic() - start
        if passed >= seconds:
            return runs * count / passed


def has_phe() -> bool:
    return all(importlib.util.find_spec(name) for name in ("phe", "gmpy2"))


def table(sides: dict[str, Side], count: int, seconds: float) -> None:
    print(f"{'numbers a second':24}" + "".join(f"{name:>20}" for name in sides))
    for operation in Side._fields:
        cells = [getattr(side, operation) for side in sides.values()]
        rates = [f"{rate(cell, count, seconds):20.1f}" if cell else f"{'-':>20}" for cell in cells]
        print(f"{operation.replace('_', ' '):24}" + "".join(rates))


def same(a: Side, b: Side) -> bool:
    return bool(a.decrypt() == b.decrypt() and a.add() == b.add() and a.mul() == b.mul())


def run(bits: int, count: int, seconds: float) -> int:
    mpgpu.wait()
    private = paillier.generate(bits)
    values = [secrets.randbits(32) for _ in range(count)]
    numbers = private.encrypt(values).tolist()
    sides = {"mpgpu": ours(private, values, numbers)}
    print(f"n of {bits} bits, batches of {count}; device: {mpgpu.device()}")
    if not has_phe():
        print("phe or gmpy2 is not installed")
        table(sides, count, seconds)
        return 0
    with multiprocessing.get_context("spawn").Pool(CORES, begin, (private.p, private.q)) as pool:
        sides[f"phe on {CORES} cores"] = theirs(pool, values, numbers)
        table(sides, count, seconds)
        if same(*sides.values()):
            return 0
    print("WRONG: results differ")
    return 1


def main(words: list[str]) -> int:
    if len(words) not in (2, 3) or not all(word.isdecimal() and int(word) > 0 for word in words):
        print("Usage: paillier_bench.py BITS COUNT [SECONDS]   BITS: even, at least 2048", file=sys.stderr)
        return 2
    return run(int(words[0]), int(words[1]), float(words[2]) if len(words) == 3 else 2.0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

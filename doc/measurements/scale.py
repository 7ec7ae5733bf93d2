#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""scale.py --table FILE.csv: prints the tables of doc/measurements/scale.md.
scale.py --check FILE.csv: compares the model with measurements; fails if a time differs by a quarter.

A model of the times of products, and of operations that consist of products, on 1 to 1024 GPUs.  It
counts bytes and steps, and multiplies them by constants.  `bits` is the length of each operand.
Functions return seconds unless they say otherwise."""
import csv
import functools
import math
import sys

# Measured on H200s (this folder's figures), in bytes per second and in seconds.
LINK = 55.4e9  # bytes per second from the host to one GPU, and back
TWO_LINKS = 110e9  # bytes per second from the host to two GPUs together
PEER = 392e9  # bytes per second from GPU to GPU of one host, each way
PEER_STEP = 10e-6  # fixed time of a copy from GPU to GPU, and of the wait for it
LAUNCH = 8e-6  # fixed time of a product's launches
# Joining a product's two halves takes as long as six passes over the bytes of one half: 0.18 ms at
# 10^9 bits. A part of 16 MB is joined while the next part is copied.
JOIN_LAUNCHES, JOIN_PASSES, JOIN_PART = 3, 6, 16 << 20
HOST_STEP = 20e-6  # fixed time of a call with operands and result in host memory
FIRST_TOUCH = 8.5e9  # writing to a result's memory for the first time
MEMORY = 4.2e12  # of a GPU
# The most bits of a part of an operand; the times of its transform, of a point-wise product and of an
# inverse transform.
PART = 2**30
TRANSFORM, POINTS, INVERSE = 0.95e-3, 0.48e-3, 1.58e-3
LAST = 0.13  # fraction of a product's time for CRT and carries
# bytes of residues for each bit of an operand: 20 bytes for each 64 bits of the result
RESIDUES = 0.625
# Composite operations: fixed seconds, count of products of n bits, n-bit numbers uploaded, n-bit numbers
# downloaded; time of sums, shifts and checks as a fraction of the products' time (devices.md,
# 2026-11-25).
QUOTIENT = (0.52e-3, 4.63, 3, 2, 0.25)
POWER = (1.23e-3, 52, 2, 1, 0.10)
OPERANDS = 2  # operands of a quotient and of a power
SHARED_LENT = 2**26  # least bits of operands of which each GPU uploads a part and copies the rest
SHARED_UPLOADING = 4  # the most GPUs that each upload whole operands in a product of parts
LEAF = 2**16  # bits of the factors of a product tree
# Assumed, not measured.
HOST_MOST = 4 * LINK  # a host's memory is as fast as four links
NET = 50e9  # a GPU's share of the network, each way
NET_STEP = 20e-6
HOST_GPUS = 8

GPUS = (1, 2, 4, 8, 16, 64, 256, 1024)
SIZES = tuple(2**k for k in range(20, 39, 2))


def hosts(gpus):
    return -(-gpus // HOST_GPUS)


def links(gpus):
    """Returns the bytes per second from one host's memory to all of its GPUs in use."""
    here = min(gpus, HOST_GPUS)
    return TWO_LINKS if here == 2 else min(here * LINK, HOST_MOST)


def parts(bits):
    return max(1, -(-bits // PART))


def inverses(bits):
    """Returns the number of inverse transforms; one transform serves two products of parts, added
    before."""
    return 1 if bits <= PART else parts(bits) ** 2 / 2 + parts(bits)


def device(bits):
    """A product on one GPU, with operands and result in its memory."""
    p = parts(bits)
    full = 2 * p * TRANSFORM + p * p * POINTS + inverses(bits) * INVERSE
    return LAUNCH + full * (bits / PART if p == 1 else 1)


def exchanged(bits):
    """Returns the bytes of residues that all GPUs together exchange."""
    return inverses(bits) * RESIDUES * min(bits, PART)


def all_to_all(bytes_each, gpus):
    """Each GPU sends `bytes_each` bytes, in equal parts, to all other GPUs."""
    away = 1 - 1 / hosts(gpus)
    near = bytes_each * (1 - 1 / gpus) * (1 - away)
    steps = (min(gpus, HOST_GPUS) - 1) * PEER_STEP + (hosts(gpus) - 1) * NET_STEP
    return near / PEER + bytes_each * away / NET + steps


def to_all(total, gpus):
    """`total` bytes are spread equally over the GPUs; each GPU gets all of them."""
    near = total * (1 - 1 / min(gpus, HOST_GPUS)) / PEER
    far = 0 if hosts(gpus) == 1 else total / (min(gpus, HOST_GPUS) * NET)
    return max(near, far) + (gpus > 1) * PEER_STEP + math.log2(hosts(gpus)) * NET_STEP


def exchange(bits, gpus):
    """The GPUs exchange the residues of all coefficients before the CRT.  If there are at least as
    many parts as GPUs, they may exchange the transforms of all parts instead, before the inverse
    transforms."""
    residues = all_to_all(exchanged(bits) / gpus, gpus)
    p = parts(bits)
    return residues if gpus > p else min(residues, to_all(2 * p * RESIDUES * PART, gpus))


def work(bits, gpus):
    """The transforms are divided into 5 times a power of two units.  Each GPU reads both operands
    and computes some units."""
    units = 5 * 2 ** math.ceil(math.log2(gpus)) * 4
    share = -(-units // gpus) / units
    fold = 0 if gpus == 1 else bits / 4 / MEMORY * parts(bits)
    last = LAST * device(bits) / gpus
    return LAUNCH + (1 - LAST) * (device(bits) - LAUNCH) * share + fold + last


def cut_on_devices(bits, gpus):
    """One product with operands and result spread over the memory of all GPUs."""
    if gpus == 1:
        return device(bits)
    carries = 2 * (NET_STEP if hosts(gpus) > 1 else PEER_STEP)
    return to_all(bits / 4, gpus) + work(bits, gpus) + exchange(bits, gpus) + carries


def brought(bits, gpus):
    """The time of uploads that does not overlap with computing.  A single GPU transforms one operand during
    the upload of the other.  In a product of parts, only the first parts' uploads do not overlap."""
    if parts(bits) > 1:
        return 2 * PART / 8 / links(gpus)
    hidden = min(TRANSFORM * bits / PART, bits / 8 / LINK) if gpus == 1 else 0
    return bits / 4 / links(gpus) - hidden


def cut(bits, gpus):
    """One product with operands and result in the memory of one host."""
    lifts = brought(bits, gpus) + bits / 4 / links(gpus)
    back = 0 if hosts(gpus) == 1 else bits / 4 / (min(gpus, HOST_GPUS) * NET)
    return HOST_STEP + lifts + back + cut_on_devices(bits, gpus)


def shared_kernels(bits, gpus):
    """The kernels of one GPU, which multiplies a part of one operand by the whole other operand."""
    p, share = parts(bits), 1 / gpus
    # all three transforms have the length of the product, which is less for a part of an operand
    if p == 1:
        return (1 + share) / 2 * (2 * TRANSFORM + POINTS + INVERSE) * bits / PART
    return ((1 + share) * p * TRANSFORM + share * p * p * POINTS +
            (share * p * p / 2 + (1 + share) / 2 * p) * INVERSE)


def shared_up(bits, gpus):
    """The time to upload and copy the operands of the product that shared() describes. Each GPU
    uploads its part of one operand. It also uploads a part of the other operand, and copies
    that operand's rest from other GPUs. For a product computed in parts, up to
    SHARED_UPLOADING GPUs upload the whole other operand instead."""
    operand, own, p = bits / 8, bits / 8 / links(gpus), parts(bits)
    if p > 1 and gpus <= SHARED_UPLOADING:
        return 2 * PART / 8 * gpus / links(gpus)
    if bits < SHARED_LENT:
        return own + operand * gpus / links(gpus)
    swap = operand * (1 - 1 / gpus) / PEER + PEER_STEP
    work = (1 + 1 / gpus) / 2 * TRANSFORM * bits / PART if p == 1 else 0
    return own + HOST_STEP + max(own, swap + work) - work


def shared(bits, gpus):
    """The time of a product that the GPUs of one host share (lib/operate/shards/).  Each GPU
    multiplies its part of one operand by the whole other operand.  Where the partial products
    overlap, GPUs add them.  With two GPUs, this addition runs during the download of the words
    that are already complete."""
    down, parted = 2 * bits / 8 / links(gpus), bits / 8 * (1 - 1 / gpus)
    add = parted / PEER + (gpus - 1) * PEER_STEP + 3 * parted / MEMORY
    if gpus == 2:
        add = max(add - down / 2, 0)
    return HOST_STEP + shared_up(bits, gpus) + LAUNCH + shared_kernels(bits, gpus) + HOST_STEP + add + down


def in_halves(bits, linear=0):
    """A product within a composite operation on two GPUs, as lib/calc/calc_half.c computes it.  Each GPU
    computes half of the transforms, copies the other half of the result, and joins both halves part by
    part.  `linear`: the fraction of time of sums, shifts and checks, which both GPUs compute."""
    half = bits / 8
    steps = HOST_STEP + PEER_STEP + JOIN_LAUNCHES * LAUNCH
    copy, join = half / PEER, JOIN_PASSES * half / MEMORY
    last = min(copy, join) * min(1, JOIN_PART / half)
    return LAUNCH + (device(bits) - LAUNCH) * (1 + linear) / 2 + max(copy, join) + last + steps


def composite_in_halves(kind, bits):
    """A composite operation on two GPUs.  Each uploads half of long operands, copies the other half, and
    downloads half of the results.  The check reads all operands once."""
    fixed, products, up, down, linear = kind
    bytes_up = up * bits / 8
    links = bytes_up / (TWO_LINKS / 2)
    if bits >= SHARED_LENT:
        steps = OPERANDS * (HOST_STEP + PEER_STEP) + HOST_STEP
        links = bytes_up / TWO_LINKS + bytes_up / 2 / PEER + bytes_up / MEMORY + steps
    return fixed + links + down * bits / 8 / TWO_LINKS + products * in_halves(bits, linear)


def best(function, bits, gpus):
    """Returns the shortest time on any number of GPUs up to `gpus`."""
    return min(function(bits, g) for g in GPUS if g <= gpus)


def product(bits, gpus):
    return best(cut, bits, gpus)


def on_devices(bits, gpus):
    return best(cut_on_devices, bits, gpus)


def composite(kind, bits, gpus):
    """A composite operation whose products have their operands on the devices."""
    fixed, products, up, down, _ = kind
    return fixed + (up + down) * bits / 8 / links(gpus) + products * on_devices(bits, gpus)


quotient = functools.partial(composite, QUOTIENT)
power = functools.partial(composite, POWER)

def level(result, each, gpus):
    """All products of one level of a tree: each GPU computes whole products, or all GPUs share each product."""
    count = result // (2 * each)
    whole = -(-count // gpus) * (device(each) - LAUNCH) + LAUNCH
    return min(whole, count * on_devices(each, gpus))


def tree(bits, gpus):
    """The product of all factors, of 2 * bits bits; the factors are on the devices."""
    result, each, time = 2 * bits, LEAF, 0
    while each <= bits:
        time += best(functools.partial(level, result), each, gpus)
        each *= 2
    return time


def independent(bits, gpus):
    """The time per product of many independent ones: each is on one GPU, its operands in its host's memory."""
    link = 0 if gpus == 1 else 2 * bits / 4 / links(gpus) / hosts(gpus)
    return max(product(bits, 1) / gpus, link)


def batch(bits, gpus):
    """The time per product of a batch on the devices: GPUs exchange nothing."""
    return (device(bits) - LAUNCH) / gpus


KINDS = (
    ("independent products", independent),
    ("batches on the devices", batch),
    ("one product, host to host", product),
    ("one product, on the devices", on_devices),
    ("quotient of 2n by n bits", quotient),
    ("power modulo n bits, 16-bit exponent", power),
    ("product tree to 2n bits", tree),
)

# ---- measured times in seconds: programs.md (2026-11-24), device-numbers.md (powers,
# 2026-11-25), transforms.md (2026-11-21, into fresh memory)
COMPOSITE = (
    ("product", 10**7, 0.195e-3, product),
    ("product", 10**8, 1.43e-3, product),
    ("quotient", 10**7, 0.840e-3, quotient),
    ("quotient", 10**8, 3.40e-3, quotient),
    ("power", 10**6, 1.77e-3, power),
    ("power", 10**7, 3.92e-3, power),
    ("power", 10**8, 22.7e-3, power),
)
FRESH = ((2**33, 0.42), (2**36, 9.1))


def product_by(gpus, bits):
    return shared(bits, gpus), cut(bits, 1)


product_by_two = functools.partial(product_by, 2)
product_by_four = functools.partial(product_by, 4)


def composite_by_two(kind, bits):
    return composite_in_halves(kind, bits), composite(kind, bits, 1)


# Times on two H100s of one host, divided by the time on one: devices.md (2026-11-26).
BY_TWO = (
    ("product, host to host", 2**30, 13.07e-3, 8.32e-3, product_by_two),
    ("product, host to host", 2**32, 61.3e-3, 36.2e-3, product_by_two),
    ("product, host to host", 2**34, 535e-3, 277e-3, product_by_two),
    ("quotient", 10**9, 23.4e-3, 18.1e-3, lambda b: composite_by_two(QUOTIENT, b)),
    ("power", 10**9, 204.2e-3, 143.3e-3, lambda b: composite_by_two(POWER, b)),
)
# Times on four H100s, divided by the time on one, of the same day.
BY_FOUR = (
    ("product, host to host", 2**30, 13.04e-3, 7.41e-3, product_by_four),
    ("product, host to host", 2**32, 61.5e-3, 29.8e-3, product_by_four),
    ("product, host to host", 2**34, 520e-3, 172e-3, product_by_four),
)
# Times on one H200 that computes the parts of two GPUs alternately: devices.md (2026-11-25).
IN_TURNS = (
    ("product, host to host", 2**30, 12.58e-3, 7.86e-3, product_by_two),
    ("product, host to host", 2**32, 56.1e-3, 33.7e-3, product_by_two),
    ("product, host to host", 2**34, 445e-3, 238e-3, product_by_two),
    ("quotient", 10**9, 21.4e-3, 16.4e-3, lambda b: composite_by_two(QUOTIENT, b)),
    ("power", 10**9, 178.3e-3, 135.0e-3, lambda b: composite_by_two(POWER, b)),
)


def fresh(bits, _):
    """A product whose result is in memory that was never written: its pages are touched during the download."""
    return HOST_STEP + bits / 4 / LINK + device(bits) + bits / 4 / FIRST_TOUCH


def measured(path):
    """Yields (name, bits, measured seconds, predicted seconds)."""
    columns = {"pool": ("product, host to host", product), "device": ("product, on it", on_devices)}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            bits, column = int(row["bits"]), columns.get(row["candidate"])
            if row["operation"] == "mul" and column and 2**24 <= bits <= 2**34:
                yield column[0], bits, float(row["median"]) / 1e3, column[1](bits, 1)
    for name, bits, seconds, function in COMPOSITE:
        yield name, bits, seconds, function(bits, 1)
    for bits, seconds in FRESH:
        yield "product, to fresh memory", bits, seconds, fresh(bits, 1)


def check(path):
    rows = list(measured(path))
    if len(rows) < 8 + len(COMPOSITE) + len(FRESH):
        sys.exit(f"{path}: too few rows")
    for name, bits, seconds, guess in rows:
        if abs(guess / seconds - 1) > 0.25:
            sys.exit(f"{name}, {bits} bits: {guess:.3g} s, measured {seconds:.3g} s")
    for name, function in KINDS:
        for size in SIZES:
            times = [function(size, g) for g in GPUS]
            if any(later > before * (1 + 1e-9) for before, later in zip(times, times[1:])):
                sys.exit(f"{name}, {size} bits: more GPUs take longer: {times}")
            if any(function(2 * size, g) <= function(size, g) for g in GPUS):
                sys.exit(f"{name}, {size} bits: twice as many take no longer")
            if any(times[0] / t > g * 1.05 for t, g in zip(times, GPUS)):
                sys.exit(f"{name}, {size} bits: more than {GPUS} times as fast: {times}")
    print(f"{len(rows)} measurements within a quarter")


# ---- tables of doc/measurements/scale.md

def size_text(bits):
    k = bits.bit_length() - 1
    return f"2^{k}" if bits == 1 << k else f"10^{round(math.log10(bits))}"


def time_text(seconds):
    units = ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (0, "ns"))
    unit, name = next(u for u in units if seconds >= u[0])
    return f"{seconds / (unit or 1e-9):.3g} {name}"


def bytes_text(number):
    unit, name = next(u for u in ((1e9, "GB"), (1e6, "MB"), (0, "kB")) if number >= u[0])
    return f"{number / (unit or 1e3):.3g} {name}" if number else "-"


def table(title, head, rows):
    print(f"\n**{title}**\n")
    print("| " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def beside(path):
    for name, bits, seconds, guess in measured(path):
        yield name, size_text(bits), time_text(seconds), time_text(guess), f"{guess / seconds:.2f}"


def by_several(rows):
    for name, bits, one, several, model in rows:
        on_several, on_one = model(bits)
        yield (name, size_text(bits), time_text(one), time_text(several), f"{several / one:.2f}",
               f"{on_several / on_one:.2f}")


def traffic(bits):
    for g in GPUS[1:]:
        near = min(g, HOST_GPUS)
        all_at_once = exchanged(bits) / g
        away = all_at_once * (1 - 1 / hosts(g))
        far = 0 if hosts(g) == 1 else bits / 4 / near + away
        counts = (bits / 4 / near, bits / 4 * (1 - 1 / near), all_at_once * (1 - 1 / g) - away, far)
        steps = near + 2 + (hosts(g) > 1) * (hosts(g) - 1 + math.log2(hosts(g)))
        yield (f"{g} on {hosts(g)}", *map(bytes_text, counts), f"{steps:.0f}")


def pays_from(function, gpus):
    """Returns the least size from which `gpus` GPUs are a tenth faster than half as many."""
    before = GPUS[GPUS.index(gpus) - 1]
    for size in SIZES:
        if all(function(s, gpus) < 0.9 * function(s, before) for s in SIZES if s >= size):
            return size_text(size)
    return "never"


def tables(path):
    table("One GPU, beside measurements", ("what", "bits", "measured", "predicted", "ratio"),
          beside(path))
    table("Two GPUs, beside measurements on two H100s", ("what", "bits", "on one", "on two", "share",
          "share by the model"), by_several(BY_TWO))
    table("Four GPUs, beside measurements on four H100s", ("what", "bits", "on one", "on four",
          "share", "share by the model"), by_several(BY_FOUR))
    table("Two GPUs, beside one H200 in turns", ("what", "bits", "on one", "on two", "share",
          "share by the model"), by_several(IN_TURNS))
    table("Two GPUs, one product (model)", ("bits", "on one, host to host", "on two",
          "share", "on one, on the device", "on two", "share"),
          ([size_text(s)] + [x for f in (cut, cut_on_devices) for x in (time_text(f(s, 1)),
           time_text(f(s, 2)), f"{f(s, 2) / f(s, 1):.2f}")] for s in SIZES[1:9]))
    table("One product, host to host, as the library shares it (model)", ("bits",
          "on one", "on two", "share", "on three", "on four", "on eight"),
          ([size_text(s), time_text(cut(s, 1)), time_text(shared(s, 2)),
            f"{shared(s, 2) / cut(s, 1):.2f}", *(time_text(shared(s, g)) for g in (3, 4, 8))]
           for s in SIZES[1:9]))
    table("Quotient and power by two GPUs, as the library shares them (model)", ("bits",
          "product on one", "on two", "quotient on one", "on two", "share", "power on one",
          "on two", "share"),
          ([size_text(s), time_text(device(s)), time_text(in_halves(s))] +
           [x for k in (QUOTIENT, POWER) for x in (time_text(composite(k, s, 1)),
            time_text(composite_in_halves(k, s)),
            f"{composite_in_halves(k, s) / composite(k, s, 1):.2f}")]
           for s in (2**24, 2**26, 2**28, 10**9, 2**30)))
    table("One product of 2^30 bits, bytes a GPU and steps", ("GPUs on hosts", "up, and down",
          "swapped", "residues near", "by network", "steps"), traffic(2**30))
    for bits in (2**24, 2**30, 2**36):
        table(f"n = {size_text(bits)} bits: seconds by GPUs", ["", *map(str, GPUS)],
              ([name, *(time_text(f(bits, g)) for g in GPUS)] for name, f in KINDS))
    table("The least n from which so many pay", ["", *map(str, GPUS[1:])],
          ([name, *(pays_from(f, g) for g in GPUS[1:])] for name, f in KINDS))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("--table", "--check"):
        sys.exit(__doc__)
    (tables if sys.argv[1] == "--table" else check)(sys.argv[2])

# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests damaged or wrong files of sets. For each, the program must print one line that names the
file, and must leave the file unchanged. No damage may give a wrong result."""
import os
import struct

from common import GROUP, fail, moduli, primes, refused, rng, run, same, text, work, write

MASK = (1 << 64) - 1
P1, P2, P3, P4 = 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579


def rotate(x, bits):
    return (x << bits | x >> 64 - bits) & MASK


def xxh64(data):
    """Returns the checksum XXH64 of data that consists of whole stripes of 32 bytes."""
    def step(lane, word):
        return rotate((lane + word * P2) & MASK, 31) * P1 & MASK

    lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    for i, word in enumerate(words):
        lanes[i % 4] = step(lanes[i % 4], word)
    h = sum(rotate(x, bits) for x, bits in zip(lanes, (1, 7, 12, 18))) & MASK
    for x in lanes:
        h = ((h ^ step(0, x)) * P1 + P4) & MASK
    h = (h + len(data)) & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def with_sum(words):
    """Packs the words of a record or header, and replaces the last word by their checksum."""
    data = struct.pack("<8Q", *words[:7], 0)
    return data[:56] + struct.pack("<Q", xxh64(data))


spare, used = primes(3000, 32), []
old = moduli(GROUP + 40, spare, used, 0)
new = moduli(20, spare, used, 0.2)
new_file = write("new", new)
path = os.path.join(work, "set")
run("--make", path, write("old", old[:GROUP + 10]))
run("--against", path, "--add", write("old", old[GROUP + 10:]))
good = open(path, "rb").read()
right = text(new, old, path)
same(run("--against", path, new_file)[0], right, "the good file")


def put(data):
    with open(path, "wb") as f:
        f.write(data)


def check(data, is_allowed, needs="", *options):
    """Checks that the program refuses a file with these bytes. If is_allowed, the right result is
    permitted, too."""
    put(data)
    done = run(*options, "--against", path, new_file, status=None)
    if not (is_allowed and done.returncode == 0 and done.stdout == right):
        refused(path, *options, "--against", path, new_file, needs=needs)
    if open(path, "rb").read() != data:
        fail("a damaged file was changed")


def changed(offset, *more):
    data = bytearray(good)
    for place in (offset, *more):
        data[place] ^= 1 << rng.randrange(8)
    return bytes(data)


# Finds the offsets of the blocks from their headers.
blocks, offset = [], 4096
while offset < len(good):
    header = struct.unpack("<8Q", good[offset:offset + 64])
    if with_sum(header) != good[offset:offset + 64]:
        fail("the checksum is not XXH64")
    blocks.append((offset, header))
    offset += 64 + 8 * header[3]
kinds = [struct.pack("<Q", header[0]).strip(b"\0") for _, header in blocks]
if kinds != [b"moduli", b"moduli", b"product", b"moduli"]:
    fail("the blocks are", kinds)

# Damages records: with one bad record the result must be right, with two the file must be refused.
for i in range(4):
    for place in (0, 8, 16, 24, 32, 40, 48, 63):
        check(changed(512 * i + place), True)
        put(changed(512 * i + place))
        same(run("--against", path, new_file)[0], right, "one bad record")
    for k in range(i):
        check(changed(512 * i + rng.randrange(64), 512 * k + rng.randrange(64)), False, "corrupted: 2 of 4 records")
check(changed(*(512 * i + 24 for i in range(4))), False, "corrupted: 4 of 4 records")
# Damages headers and the data of all blocks. The program may overlook damage in a block that it
# need not read.
for at, header in blocks:
    for place in range(0, 64, 8):
        check(changed(at + place + rng.randrange(8)), False, f"corrupted: wrong checksum or length of the block at byte {at}")
    for place in (0, 8, 8 * header[3] // 2, 8 * header[3] - 1):
        check(changed(at + 64 + place), header[0] == blocks[0][1][0], "corrupted: checksum 0x")
for _ in range(60):
    check(changed(rng.randrange(len(good))), True, "corrupted")
put(changed(blocks[0][0] + 64))
refused(path, "--against", path, write("hit", [old[3]]), needs=f"at byte {blocks[0][0] + 64}, not 0x")
# Tests files that are truncated, empty or foreign, or have another version, another size of groups
# or another order of blocks.
for size in (1, 4095, 4096, *(at + place for at, _ in blocks for place in (0, 63, 64, 100)), len(good) - 1):
    check(good[:size], False, f"has {size} bytes")
check(b"", False, "has 0 bytes")
check(b"0x15\n" * 2000, False, "not a set of batch-gcd")

for word, value, needs in ((1, 2, "version 2 of the format"), (2, 2048, "groups of 2048 moduli"), (5, 3, "3 moduli expected"),
                           (4, blocks[-1][0], "moduli expected"), (4, len(good) + 64, "truncated")):
    data = bytearray(good)
    for i in range(4):
        words = list(struct.unpack("<8Q", good[512 * i:512 * i + 64]))
        words[word] = value
        data[512 * i:512 * i + 64] = with_sum(words)
    check(bytes(data), False, needs)
data = bytearray(good)
for at, header in blocks[:2]:
    words = list(header)
    words[2] += 1
    data[at:at + 64] = with_sum(words)
check(bytes(data), False, "unexpected block 1 ")
# Tests a block that has right checksums, but a length that is no multiple of 8 words.
end = blocks[-1][0] + 64 + 8 * (blocks[-1][1][3] - 3)
data = bytearray(good[:end])
for at, word, value in (*((512 * i, 4, end) for i in range(4)), (blocks[-1][0], 3, blocks[-1][1][3] - 3)):
    words = list(struct.unpack("<8Q", data[at:at + 64]))
    words[word] = value
    data[at:at + 64] = with_sum(words)
check(bytes(data), False, f"wrong checksum or length of the block at byte {blocks[-1][0]}")
check(good + b"more" * 100, True)
put(good)
# An addition must refuse a damaged file, too, before it writes.
for damaged in (changed(blocks[-1][0] + 64), changed(blocks[1][0] + 8), good[:-1]):
    check(damaged, False, "", "--add")

put(good)
refused(path, "--make", path, new_file, needs="File exists")
refused(os.path.join(work, "absent"), "--against", os.path.join(work, "absent"), new_file, needs="No such file")
refused(work, "--against", work, new_file, needs="not a regular file")
refused(path, "-o", path, "--against", path, new_file, needs="is the set")
refused(new_file, "-o", new_file, "--against", path, new_file, needs="has the moduli")
unmade = os.path.join(work, "unmade")
refused(unmade, "-o", unmade, "--make", unmade, new_file, needs="is the set")
if os.path.exists(unmade) or os.path.getsize(new_file) == 0:
    fail("an output has replaced a file")
pipe = os.path.join(work, "pipe")
os.mkfifo(pipe)
for more in ((), ("--add",)):
    refused(pipe, *more, "--against", pipe, new_file, needs="not a regular file")
nowhere = os.path.join(work, "nothing", "there")
refused(nowhere, "--make", nowhere, new_file, needs="No such file")
if open(path, "rb").read() != good:
    fail("a refused call has changed the file")
same(run("--against", path, new_file)[0], right, "the good file afterwards")

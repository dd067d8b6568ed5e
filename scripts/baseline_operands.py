# SPDX-License-Identifier: Apache-2.0
"""Operands in shared memory as NumPy arrays, and the check of what a kernel wrote.

The rules are those of simdbench's own workers (kernels/core/operands.c, kernels/core/check.c).
"""
import hashlib

import numpy as np

RED_ZONE = 256
# Outputs hold quiet NaNs with a payload before they are written.
POISON = {4: 0x7fd5a5c3, 8: 0x7ffd5a3cc5a3965a}
TYPES = {"f32": np.dtype("f4"), "f64": np.dtype("f8"),
         "i32": np.dtype("i4"), "i64": np.dtype("i8"),
         "u8": np.dtype("u1"), "i8": np.dtype("i1"), "u16": np.dtype("u2"),
         "i16": np.dtype("i2"), "u32": np.dtype("u4"), "u64": np.dtype("u8"),
         "f16": np.dtype("f2")}
CHUNK = 1 << 18


class Operand:
    """`array`: its elements from the first to the last; `bits`: the same as integers."""

    def __init__(self, memory, item):
        dtype = TYPES[item["type"]]
        offset, count = int(item["offset"]), int(item["count"])
        end = offset + count * dtype.itemsize
        self.role = item["role"]
        self.ld = int(item["ld"])
        self.array = np.frombuffer(memory, dtype, count, offset)
        self.bits = self.array.view(f"u{dtype.itemsize}")
        self.zones = [np.frombuffer(memory, np.uint8, RED_ZONE, at)
                      for at in (offset - RED_ZONE, end)]
        self.is_output = self.role in ("out", "inout")

    @property
    def type(self):
        return next(name for name, dtype in TYPES.items() if dtype == self.array.dtype)

    def rows(self, rows, columns):
        """As a matrix whose rows are `ld` elements apart."""
        size = self.array.itemsize
        return np.lib.stride_tricks.as_strided(self.array, (rows, columns),
                                               (self.ld * size, size))

    def place(self, position):
        if 0 < self.ld < self.array.size:
            return f"[{position // self.ld}][{position % self.ld}]"
        return f"[{position}]"


# ---- before and after the one call that is checked ----

def zone():
    return (0xa5 ^ np.arange(RED_ZONE) * 37).astype(np.uint8)


def guard(operands):
    for operand in operands:
        for bytes_ in operand.zones:
            bytes_[:] = zone()


def damaged(operands):
    """The first operand around which something was written, or None."""
    return next((i for i, operand in enumerate(operands)
                 if any((bytes_ != zone()).any() for bytes_ in operand.zones)), None)


def poison(operands):
    for operand in operands:
        if operand.role == "inout":
            operand.array[:] = operands[0].array
        elif operand.role == "out":
            operand.bits[:] = POISON[operand.array.itemsize]


def spoil(operands, answers, seed):
    """Right answers, of which a fourth is exchanged for those of other elements; where none
    is known, elements that change places."""
    random = np.random.default_rng(seed)
    for operand in operands:
        if operand.role == "inout":
            operand.array[:] = operands[0].array
        elif operand.role == "out":
            exchange(operand.bits, np.arange(operand.bits.size), operand.bits, random)
    if answers and answers.output.role == "out":
        bits = answers.output.bits
        where = np.arange(answers.n) if answers.index is None else answers.index
        values = answers.value.view(bits.dtype)
        bits[where] = values
        exchange(bits, where, values, random)


def exchange(bits, where, values, random):
    """A fourth of them, and the first one drawn, get other values: one of the next 64, with
    an exponent bit changed if that is the same."""
    n = len(where)
    if not n:
        return
    chosen = np.flatnonzero(random.random(n) < 0.25)
    chosen = np.union1d(chosen, random.integers(n, size=1))
    taken = values[(chosen + random.integers(1, 65, size=chosen.size)) % n].copy()
    bit = 23 if bits.itemsize == 4 else 52
    taken[taken == values[chosen]] ^= bits.dtype.type(1 << bit)
    bits[where[chosen]] = taken


def fingerprint(operands):
    """Of all inputs: unequal before and after means that a kernel wrote to one."""
    digest = hashlib.blake2b(digest_size=16)
    for operand in operands:
        if not operand.is_output:
            digest.update(operand.bits)
    return digest.digest()


# ---- comparing ----

class Answers:
    """The right answers for `n` elements of an output; index None means the first n."""

    def __init__(self, memory, output, n, index, value, slack):
        self.n = n
        self.output = output
        self.index = None if index is None else np.frombuffer(memory, np.uint64, n, int(index))
        self.value = np.frombuffer(memory, output.array.dtype, n, value)
        self.slack = np.frombuffer(memory, np.float64, n, slack)

    def chunks(self):
        """Slices of the answers, each with the positions of its elements."""
        for begin in range(0, self.n, CHUNK):
            part = slice(begin, min(begin + CHUNK, self.n))
            yield part, part if self.index is None else self.index[part]

    def position(self, i):
        return i if self.index is None else int(self.index[i])


def distances(output, answers, part, where):
    """The error of each element of a part; negative where it is right."""
    got, want = output.array[where], answers.value[part]
    got_bits, want_bits = output.bits[where], want.view(output.bits.dtype)
    slack = answers.slack[part]
    distance = np.abs(got.astype(np.float64) - want.astype(np.float64))
    right = (slack > 0) & (distance <= slack)
    if got.dtype.kind == "f":
        poisoned = got_bits == POISON[got.itemsize]
        right |= np.isnan(got) & np.isnan(want)
        distance[np.isnan(got) | np.isnan(want) | poisoned] = np.inf
        right &= ~poisoned
    right |= got_bits == want_bits
    distance[right] = -1
    return distance


def element_text(value, bits):
    if value.dtype.kind != "f":
        return str(value)
    if bits == POISON[value.itemsize]:
        return "never written"
    return f"{value:.{9 if value.itemsize == 4 else 17}g}"


def describe(output, answers, i):
    at = answers.position(i)
    want = answers.value[i]
    allowed = f" within {answers.slack[i]:.3g}" if answers.slack[i] > 0 else ""
    return (f"output{output.place(at)} is {element_text(output.array[at], output.bits[at])}, "
            f"should be {element_text(want, None)}{allowed}")


def compare(output, answers):
    """A sentence about the first and the worst wrong element, or None."""
    count, first, worst, worst_distance = 0, 0, 0, -1.0
    with np.errstate(all="ignore"):
        for part, where in answers.chunks():
            distance = distances(output, answers, part, where)
            bad = np.flatnonzero(distance >= 0)
            if not bad.size:
                continue
            if not count:
                first = part.start + int(bad[0])
            count += bad.size
            peak = int(np.argmax(distance))
            if distance[peak] > worst_distance:
                worst, worst_distance = part.start + peak, distance[peak]
    if not count:
        return None
    text = f"{count} of {answers.n} checked are wrong: {describe(output, answers, first)}"
    return text if worst == first else f"{text}; worst: {describe(output, answers, worst)}"

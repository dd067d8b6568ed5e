# SPDX-License-Identifier: Apache-2.0
"""tanh_coefficients.py: prints the header tanh_tables.h, polynomials of tanh on intervals.

The build runs it. All is calculated with 80 digits, so that the same numbers come out on every
machine.

How a table is used. For a = |x|, the bits of b = a * scale + offset tell the interval:
the exponent and the topmost bits of the fraction. So intervals are narrow near zero and
grow with a, and one multiplication and addition finds them. The polynomial is in
t = a - origin. In the first interval origin and constant are 0 and the factor of t is 1,
so that tiny numbers stay as they are.
"""
import decimal
import functools
import math
import struct
from decimal import Decimal as D
from itertools import groupby

decimal.getcontext().prec = 80

# Codes of the type and of its bits in struct, bits of a significand and those of them
# that are stored, end of its literals, name in C.
F32 = ('f', 'I', 24, 23, 'f', 'float')
F64 = ('d', 'Q', 53, 52, '', 'double')
PI = D('3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534'
       '2117067982148086513282306647')


def rounded(value, kind):
    """Nearest number of that type."""
    unit = D(2) ** (math.frexp(value)[1] - kind[2])
    return (value / unit).to_integral_value() * unit


def bits_of(value, kind):
    return struct.unpack('<' + kind[1], struct.pack('<' + kind[0], value))[0]


def value_of(bits, kind):
    return D(struct.unpack('<' + kind[0], struct.pack('<' + kind[1], bits))[0])


def tanh(x):
    power = (2 * x).exp()
    return (power - 1) / (power + 1)


@functools.cache
def cos(x):
    """The series, of a quarter of a turn at most; a cosine of more is a negative one."""
    if x > PI / 2:
        return -cos(PI - x)
    return sum((-1) ** i * x ** (2 * i) / math.factorial(2 * i) for i in range(50))


def polyval(coefficients, x):
    """The lowest first."""
    value = D(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def solve(system):
    """Of rows that end with their right sides."""
    for i, _ in enumerate(system):
        best = max(range(i, len(system)), key=lambda k: abs(system[k][i]))
        system[i], system[best] = system[best], system[i]
        system[i] = [v / system[i][i] for v in system[i]]
        system = [row if k == i else [a - row[i] * b for a, b in zip(row, system[i])]
                  for k, row in enumerate(system)]
    return [row[-1] for row in system]


def intervals(kind, scale, offset, bits, end):
    """Index of the first interval and the bounds of all of them up to `end`."""
    shift = kind[3] - bits
    first = index = bits_of(offset, kind) >> shift
    bounds = []
    while not bounds or bounds[-1][1] < end:
        low, high = (max(D(0), (value_of(i << shift, kind) - offset) / scale)
                     for i in (index, index + 1))
        bounds.append((low, min(high, end)))
        index += 1
    return first, bounds


def nodes(low, high, count):
    """The points at which a polynomial that meets the function is close to the best one."""
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle + half * cos((2 * k + 1) * PI / (2 * count)) for k in range(count)]


def interpolate(at, values):
    """Coefficients, lowest first, of the polynomial through the points."""
    slopes = list(values)
    for j in range(1, len(at)):
        for i in range(len(at) - 1, j - 1, -1):
            slopes[i] = (slopes[i] - slopes[i - 1]) / (at[i] - at[i - j])
    result = [slopes[-1]]
    for j in range(len(at) - 2, -1, -1):
        higher = [D(0)] + result
        result = [h - at[j] * r for h, r in zip(higher, result + [D(0)])]
        result[0] += slopes[j]
    return result


def first_polynomial(high, degree):
    """a + a^2 * (...) on [0, high]."""
    at = nodes(D(0), high, degree - 1)
    return [D(0), D(1)] + interpolate(at, [(tanh(a) - a) / a ** 2 for a in at])


def polynomial(low, high, origin, degree):
    at = nodes(low, high, degree + 1)
    return interpolate([a - origin for a in at], [tanh(a) for a in at])


def good_origin(low, high, degree, kind):
    """Not far from the middle, with a constant that is hardly changed by rounding."""
    middle = rounded((low + high) / 2, kind)
    around = polynomial(low, high, middle, degree)

    def error(origin):
        value = polyval(around, origin - middle)
        return abs(value - rounded(value, kind))
    return min((rounded(middle + (high - low) * step / 5000, kind)
                for step in range(-1000, 1001)), key=error)


def small_polynomial(degree):
    """tanh(r) = r + r^3 * p(r^2) for r up to half of log(2)."""
    at = nodes(D(0), (D(2).ln() / 2) ** 2, degree + 1)
    return interpolate(at, [(tanh(u.sqrt()) / u.sqrt() - 1) / u for u in at])


def rational(end, above, below):
    """tanh(x) = x * (1 + u * p(u)) / (1 + u * q(u)), u = x^2, by Remez' exchange: the
    relative errors at the points, which become the worst ones, are equal but for signs."""
    count = above + below + 3
    points = sorted(nodes(D(0), end, count))
    grid = [(x, tanh(x)) for x in (end * (i + 1) / 3000 for i in range(3000))]
    q = [D(0)] * (below + 1)
    for _ in range(20):
        for _ in range(4):
            system = []
            for i, x in enumerate(points):
                u, f = x * x, tanh(x)
                system.append([x * u ** (j + 1) for j in range(above + 1)] +
                              [-f * u ** (j + 1) for j in range(below + 1)] +
                              [(-1) ** i * f * (1 + u * polyval(q, u)), f - x])
            solution = solve(system)
            p, q = solution[:above + 1], solution[above + 1:-1]
        error = [(x * (1 + x * x * polyval(p, x * x)) / (f * (1 + x * x * polyval(q, x * x))) - 1, x)
                 for x, f in grid]
        runs = [list(run) for _, run in groupby(error, lambda pair: pair[0] > 0)]
        points = [max(run, key=lambda pair: abs(pair[0]))[1] for run in runs][-count:]
    return p, q, max(abs(e) for e, _ in error)


def table(kind, scale, offset, bits, end, degree, origins):
    """Index of the first interval; rows of [origin,] coefficients, lowest first."""
    first, bounds = intervals(kind, scale, offset, bits, end)
    found = [(D(0), first_polynomial(bounds[0][1], degree))]
    for low, high in bounds[1:]:
        origin = good_origin(low, high, degree, kind) if origins else low
        found.append((origin, polynomial(low, high, origin, degree)))
    return first, [[origin] * origins + coefficients for origin, coefficients in found]


def constants(kind, name, **values):
    for suffix, value in values.items():
        if isinstance(value, int):
            print(f'enum {{ {name}_{suffix} = {value} }};')
        else:
            print(f'static const {kind[5]} {name}_{suffix} = {literals([value], kind)};')


def literals(row, kind):
    return ', '.join(float(rounded(v, kind)).hex() + kind[4] for v in row)


def array(name, rows, kind):
    print(f'_Alignas(64) static const {kind[5]} {name}[{len(rows)}][{len(rows[0])}] = {{')
    for row in rows:
        print(f'    {{{literals(row, kind)}}},')
    print('};')


def by_lane(kind, name, lanes, scale, offset, bits, end, degree):
    """For permutations: row k has the k-th number of each interval, in the order of the
    lowest bits of the index."""
    scale, offset, end = (rounded(D(v), kind) for v in (scale, offset, end))
    first, rows = table(kind, scale, offset, bits, end, degree, True)
    assert len(rows) <= lanes, (name, len(rows))
    rows += [rows[-1]] * (lanes - len(rows))
    turned = [None] * lanes
    for i, row in enumerate(rows):
        turned[(first + i) % lanes] = row
    print(f'\n/* {lanes} intervals, degree {degree}: origins, then coefficients, '
          'lowest first. */')
    constants(kind, name, scale=scale, offset=offset, end=end, shift=kind[3] - bits)
    array(name, [list(column) for column in zip(*turned)], kind)


def by_row(kind, name, offset, bits, end, degree):
    """For loads: row i has the coefficients of interval i, whose origin is where it
    begins."""
    offset, end = (rounded(D(v), kind) for v in (offset, end))
    first, rows = table(kind, 1, offset, bits, end, degree, False)
    print(f'\n/* Degree {degree}, a row for each interval; its origin is where it '
          'begins. */')
    constants(kind, name, offset=offset, end=end, shift=kind[3] - bits, first=first)
    array(name, rows, kind)


def numbers(name, values, kind):
    print(f'static const {kind[5]} {name}[{len(values)}] = {{{literals(values, kind)}}};')


def by_exp(kind, name, end, degree, high_bits):
    """a = n * log(2) / 2 + r, so exp(2a) = 2^n * exp(2r). log(2) / 2 in two parts: n times
    the high one is exact."""
    step = D(2).ln() / 2
    high = D(math.floor(step * 2 ** high_bits)) / 2 ** high_bits
    print(f'\n/* r + r^3 * p(r^2), degree {2 * degree + 3} in all. */')
    constants(kind, name, end=D(end), half_step=step / 2, per_step=1 / step, step_high=high,
              step_low=step - high)
    numbers(name, small_polynomial(degree), kind)


def by_rational(kind, name, end):
    p, q, error = rational(rounded(D(end), kind), 3, 4)
    print(f'\n/* x * (1 + u * p(u)) / (1 + u * q(u)), u = x^2; off by {error:.1e} at most. */')
    constants(kind, name, end=D(end))
    numbers(f'{name}_p', p, kind)
    numbers(f'{name}_q', q, kind)


print('''/* Polynomials of tanh on intervals; scripts/tanh_coefficients.py tells how they are used.
 * Beyond `end` the result is 1. */
#pragma once''')
by_lane(F32, 'tanh_f32_lane32', 32, 1, 0.652, 3, 9.3, 4)
by_lane(F32, 'tanh_f32_lane8', 8, (8 - 0.55) / 9.31, 0.55, 1, 9.3, 7)
by_row(F32, 'tanh_f32_row', 1, 5, 9.3, 3)
by_row(F64, 'tanh_f64_row', 2, 6, 19.3, 7)
by_exp(F32, 'tanh_f32_exp', 9.3, 3, 13)
by_exp(F64, 'tanh_f64_exp', 19.3, 8, 42)
by_rational(F64, 'tanh_f64_rational', 9.3)

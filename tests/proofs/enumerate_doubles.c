/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks the Montgomery products of kernels/modular/doubles.h and power_scratch.h, which use
 * floating-point units. Replaces C's `double` by a class whose significands have D + 1 bits
 * instead of 53. The kernels keep a double's bits in a u64; here a u64 has fewer bits.
 *
 * The operations round as in IEEE 754. With NARROW_CUDA, products of digits are computed by
 * fma.rz, otherwise by integers. Tries all single digits. Long numbers are pseudo-random, often
 * with the greatest digits. This file is compiled as C++.
 *
 * variant: -DWORD=8 -DD=9 -DTEAM=1 -DLANE=8 -DNARROW_CUDA
 * variant: -DWORD=8 -DD=9 -DTEAM=2 -DLANE=8 -DNARROW_CUDA
 * variant: -DWORD=12 -DD=17 -DLANE=8
 * variant: -DWORD=12 -DD=17 -DTEAM=2 -DLANE=8 -DNARROW_CUDA */
#ifndef __cplusplus
#error "tests/proofs/prove.sh compiles this file as C++"
#endif
#define LOG_WORD 3
#define DIGIT_WIDTH 7
#ifdef TEAM
#define MODULAR_WORDS (LANE * TEAM)
#else
#define MODULAR_WORDS LANE
#endif
#define restrict __restrict__
#include "tests/proofs/items.h"

#include <math.h>
#include <string.h>

/* Returns x rounded to D + 1 bits: towards zero if to_zero, otherwise to the nearest, ties to
 * even. */
static double rounded(double x, int to_zero) {
    int exponent;
    double fraction = frexp(x, &exponent), scaled = ldexp(fraction, D + 1);
    return ldexp(to_zero ? trunc(scaled) : rint(scaled), exponent - D - 1);
}

struct REAL {
    double x;
    REAL() = default;
    REAL(double of) : x(of) {
    }
    explicit operator signed _BitInt(2 * WORD)() const {
        return (long)x;
    }
    explicit operator unsigned _BitInt(2 * WORD)() const {
        return (long)x;
    }
};
static REAL operator+(REAL a, REAL b) {
    return rounded(a.x + b.x, 0);
}
static REAL operator-(REAL a, REAL b) {
    return rounded(a.x - b.x, 0);
}
static REAL fma_rz(REAL a, REAL b, REAL c) {
    return rounded(a.x * b.x + c.x, 1); /* the argument is exact, because 2 D + 4 < 53 */
}

#define REAL REAL
#define BIAS 20
#define POWER_D REAL(ldexp(1, D))
#define MIDDLE_D REAL(ldexp(1.5, D))
#define MIDDLE_2D REAL(ldexp(1.5, 2 * D))
#define POWER_HALF REAL(ldexp(1, D - 1))
#define HALF_D ((u64)1 << (D - 1))
#define MASK_D (((u64)1 << D) - 1)
#define BITS_2D (((u64)(BIAS + 2 * D) << D) + HALF_D)
#define BITS_D ((u64)(BIAS + D) << D)
#define MIDDLE_CARRY (1 << (2 * WORD - D - 2))
#include "tests/proofs/narrow.h"

/* bits_of returns the bits of a double; from_bits returns a double from its bits. */
static u64 bits_of(REAL r) {
    int exponent;
    double fraction = frexp(fabs(r.x), &exponent);
    if (r.x == 0)
        return 0;
    return (u64)(r.x < 0) << (2 * WORD - 1) | (u64)(BIAS + exponent - 1) << D |
           ((u64)(unsigned long)ldexp(fraction, D + 1) & MASK_D);
}
static REAL from_bits(u64 bits) {
    u64 exponent = (bits & (((u64)1 << (2 * WORD - 1)) - 1)) >> D;
    if (exponent == 0)
        return 0.0;
    double r = ldexp((double)(unsigned long)((bits & MASK_D) | (u64)1 << D),
                     (int)(unsigned)exponent - BIAS - D);
    return bits >> (2 * WORD - 1) ? -r : r;
}
#define __longlong_as_double(x) from_bits((u64)(x))
#define __double_as_longlong(x) bits_of(x)
#define memcpy(to, from, bytes) copy_bits(to, from)
static void copy_bits(REAL *to, const u64 *from) {
    *to = from_bits(*from);
}
static void copy_bits(u64 *to, const REAL *from) {
    *to = bits_of(*from);
}

#ifdef TEAM
#include "tests/proofs/items_warp.h"
#endif

#include "kernels/modular/lanes.h"
#include "kernels/modular/power_scratch.h"
#define number natural /* a struct of the headers has this name */
#include "tests/proofs/enumerate.h"

typedef unsigned __int128 wide;
enum { N = MODULAR_WORDS * 5 / 8, ROWS = MODULAR_WORDS, TOP = 1 << (D - 1), MORE = MIDDLE_CARRY };
static const number prime = ((number)1 << 61) - 1;
static number step, seed;
#define T team_of(LOCAL_ID, (u32)ROWS)

/* Returns a random digit from -2^(D - 1) - more to 2^(D - 1) + more, often the greatest or the
 * least. */
static long digit(long more) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    number kind = seed >> 60, x = seed >> 20 & 0xffffffff;
    return kind == 0   ? TOP + more
           : kind == 1 ? -TOP - more
           : kind == 2 ? 0
           : kind == 3 ? TOP - 1
                       : (long)(x % (number)(2 * (TOP + more) + 1)) - TOP - more;
}

/* A long number: its residues modulo 2^128 (`low`) and modulo a prime, and its approximate
 * value. */
struct value {
    wide low;
    number residue;
    long double about;
};
static number modulo(long x) {
    return x < 0 ? prime - (number)-x % prime : (number)x % prime;
}
static number times(number a, number b) {
    return (number)((wide)a * b % prime);
}
static struct value value_add(struct value v, long digit, unsigned at) {
    number power = 1;
    for (unsigned k = 0; k < at; k++)
        power = times(power, (number)1 << D);
    v.low += (wide)(__int128)digit << (D * at < 128 ? D * at : 0) & (D * at < 128 ? ~(wide)0 : 0);
    v.residue = (v.residue + times(modulo(digit), power)) % prime;
    v.about += ldexpl((long double)digit, (int)(D * at));
    return v;
}
static struct value value_times(struct value a, struct value b) {
    struct value r = {a.low * b.low, times(a.residue, b.residue), a.about * b.about};
    return r;
}
static struct value value_sum(struct value a, struct value b) {
    struct value r = {a.low + b.low, (a.residue + b.residue) % prime, a.about + b.about};
    return r;
}
static int are_equal(struct value a, struct value b) {
    return a.low == b.low && a.residue == b.residue;
}
static struct value value_up(struct value a, unsigned digits) {
    struct value one = {0, 0, 0};
    one = value_add(one, 1, digits);
    return value_times(a, one);
}
static long whole(u64 bits) {
    return (long)from_bits(bits).x;
}
static struct value value_of(const u64 *x, unsigned count) {
    struct value v = {0, 0, 0};
    for (unsigned k = 0; k < count; k++)
        v = value_add(v, whole(x[k]), k);
    return v;
}

/* ---- digits */

static void digits(void) {
    begin("doubles.h:digit_of");
    EACH(long, x, 0, 1 << D) EACH(int, n, 0, 3) {
        long middle = n == 0 ? 0 : n == 1 ? TOP : MORE;
        CHECK(digit_of((u64)x, REAL((double)middle)).x == x - middle, x, middle, 0);
    }
    end();
    begin("digit_bits");
    EACH(long, x, -TOP, TOP) CHECK(digit_bits(REAL((double)x)) == (u64)(x + TOP), x, 0, 0);
    end();
    EACH(int, way, 0, 2) {
        begin(way ? "product_low"
                  : "product_high"); /* begin("product_low") begin("product_high") */
        long each = D == 9 ? 1 + 4 * (step > 1) : step > 1 ? 1001 : 101;
        for (long a = -TOP - MORE; a <= TOP + MORE; a += each)
            for (long b = -TOP - MORE; b <= TOP + MORE; b += each) {
                REAL x = (double)(way ? a : b), y = (double)(way ? b : a);
                long floor = (a * b) >> D;
                u64 high = product_high(x, y);
                if (way == 0)
                    CHECK(high == (u64)((u64)floor + BITS_2D), a, b, floor);
                else
                    CHECK(product_low(x, y, high) == (u64)((u64)(a * b - (floor << D)) + BITS_D), a,
                          b, floor);
            }
        end();
    }
    begin("column_bits");
    EACH(unsigned, k, 0, LANE_DIGITS)
    CHECK(column_bits((u32)k) ==
              (u64)(2 * BITS_2D + (LANE_DIGITS - 1 - k) * (2 * (BITS_2D + BITS_D))),
          k, 0, 0);
    end();
}

/* ---- exchange */

static u64 got[TEAM], given[TEAM], box[BOX_DIGITS + 1];
static u32 from_lane, got_below[TEAM];
static void get_from(void) {
    got[item] = double_from(given[item], from_lane);
}
static void get_above(void) {
    got[item] = double_above(given[item], T);
}
static void get_below(void) {
    got_below[item] = double_below((u32)given[item], T);
}
static void meet(void) {
    box[item] = (u64)(item + 5);
    doubles_meet();
    got[item] = box[(item + 1) % TEAM];
}

static void exchanges(void) {
    begin("double_from");
    EACH(unsigned, lane, 0, TEAM) EACH(number, x, 0, 1 << 16) {
        EACH(unsigned, k, 0, TEAM) given[k] = (u64)(x * (k + 1) << (2 * WORD - 16));
        from_lane = lane;
        items_run(TEAM, get_from);
        EACH(unsigned, k, 0, TEAM) CHECK(got[k] == given[TEAM == 1 ? k : lane], x, lane, k);
    }
    end();
    begin("double_above");
    EACH(number, x, 0, 1 << 16) {
        EACH(unsigned, k, 0, TEAM) given[k] = (u64)(x * (k + 1) << (2 * WORD - 16));
        items_run(TEAM, get_above);
        EACH(unsigned, k, 0, TEAM)
        CHECK(got[k] == (k + 1 < TEAM ? given[(k + 1) % TEAM] : (u64)0), x, k, 0);
    }
    end();
    begin("double_below");
    EACH(number, x, 0, 1 << 12) {
        EACH(unsigned, k, 0, TEAM) given[k] = (u64)(x * (k + 1));
        items_run(TEAM, get_below);
        EACH(unsigned, k, 0, TEAM) CHECK(got_below[k] == (k ? (u32)given[k - 1] : (u32)0), x, k, 0);
    }
    end();
    begin("doubles_meet");
    items_run(TEAM, meet);
    EACH(unsigned, k, 0, TEAM) CHECK(got[k] == (u64)((k + 1) % TEAM + 5), k, 0, 0);
    end();
}

/* ---- products */

static u64 columns[TEAM][LANE_DIGITS], highs[TEAM], lows[TEAM], resolved[TEAM * LANE_DIGITS], minv;
static REAL of_a[TEAM][LANE_DIGITS], of_m[TEAM][LANE_DIGITS], arg_b, arg_next, got_q[TEAM];
static void resolve(void) {
    columns_resolve(resolved + item * LANE_DIGITS, columns[item], T);
}
static void row(void) {
    got_q[item] = doubles_row(columns[item], highs + item, lows + item, of_a[item], arg_b, arg_next,
                              of_m[item], minv, T);
}
static void quotient(void) {
    got[item] = quotient_bits(columns[item][0], minv);
}
static void product(void) {
    doubles_product(box, minv, (u32)ROWS);
}
static void square(void) {
    doubles_square(box, (u32)ROWS);
}

/* Returns the number in the columns. Subtracts from each column the constant column_bits that it
 * contains. */
static struct value value_of_columns(void) {
    struct value v = {0, 0, 0};
    EACH(unsigned, i, 0, TEAM) EACH(unsigned, k, 0, LANE_DIGITS) {
        s64 x = (s64)(columns[i][k] - column_bits((u32)k));
        v = value_add(v, (long)x, i * LANE_DIGITS + k);
    }
    return v;
}

/* Returns -1/m modulo 2^D. m is the lowest digit of the modulus. */
static u64 minus_inverse(long m) {
    number x = 1;
    for (int i = 0; i < 6; i++)
        x *= 2 - (number)m * x;
    return (u64)(0 - x) & MASK_D;
}

static long random_column(number most) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (long)((seed >> 24) % (2 * most)) - (long)most;
}

static void rows(void) {
    const number tries = step > 1 ? 3000 : 1000000, most = (number)1 << (2 * WORD - 2);
    begin("columns_resolve");
    EACH(number, i, 0, tries) {
        EACH(unsigned, l, 0, TEAM)
        EACH(unsigned, k, 0, LANE_DIGITS)
        columns[l][k] = (u64)(i % 7 == 0   ? (long)most - 1
                              : i % 7 == 1 ? -(long)most + 1
                                           : random_column(most)) +
                        column_bits((u32)k);
        struct value right = value_of_columns(), is;
        /* columns_resolve drops the carry of the highest digit. So the sums may exceed the result
         * by a multiple of 2^(D N); `lost` is the multiplier. */
        items_run(TEAM, resolve);
        is = value_of(resolved, N);
        __int128 top = 0;
        EACH(unsigned, k, 0, N)
        CHECK(labs(whole(resolved[k])) <= TOP + MORE, i, k, whole(resolved[k]));
        long lost = (long)rintl(ldexpl(right.about - is.about, -(int)(D * N)));
        is = value_sum(is, value_up((struct value){(wide)(__int128)lost, modulo(lost), 0}, N));
        CHECK(are_equal(is, right), i, lost, 0);
    }
    end();
    begin("quotient_bits");
    for (number x = 0; x < (number)1 << (D + 2); x += D == 9 ? 1 : 61 * 8)
        for (number m = 1; m < 1 << D; m += D == 9 ? 2 + 20 * (step > 1) : 4098) {
            minv = minus_inverse((long)m);
            EACH(unsigned, k, 0, TEAM) columns[k][0] = (u64)(x + k * 77);
            items_run(TEAM, quotient);
            EACH(unsigned, k, 0, TEAM) {
                long q = whole(got[k]) - TOP - (1l << D);
                CHECK(q >= -TOP && q < TOP && (x + (number)q * m) % (1 << D) == 0, x, m, q);
            }
        }
    end();
    begin("doubles_row");
    EACH(number, i, 0, tries) {
        struct value a = {0, 0, 0}, m = {0, 0, 0}, before, after;
        long b = digit(MORE), next = digit(MORE);
        EACH(unsigned, l, 0, TEAM) EACH(unsigned, k, 0, LANE_DIGITS) {
            long x = digit(MORE), y = digit(0);
            if (l + k == 0)
                y = y < 0 ? y | 1 : y & ~1l | (y < TOP ? 1 : -1);
            if (l + k == 0 && !(y & 1))
                y--;
            of_a[l][k] = (double)x, of_m[l][k] = (double)y;
            a = value_add(a, x, l * LANE_DIGITS + k), m = value_add(m, y, l * LANE_DIGITS + k);
            columns[l][k] = (u64)random_column(most / 4) + column_bits((u32)k);
        }
        arg_b = (double)b, arg_next = (double)next, minv = minus_inverse((long)of_m[0][0].x);
        EACH(unsigned, l, 0, TEAM)
        highs[l] = product_high(of_a[l][0], arg_b),
        lows[l] = product_low(of_a[l][0], arg_b, highs[l]);
        before = value_of_columns();
        items_run(TEAM, row);
        after = value_of_columns();
        long q = (long)got_q[0].x;
        struct value of_b = {(wide)(__int128)b, modulo(b), 0},
                     of_q = {(wide)(__int128)q, modulo(q), 0};
        struct value right =
            value_sum(before, value_sum(value_times(a, of_b), value_times(m, of_q)));
        CHECK(are_equal(value_up(after, 1), right) && q >= -TOP && q < TOP, i, b, q);
        EACH(unsigned, l, 0, TEAM)
        CHECK(got_q[l].x == q && highs[l] == product_high(of_a[l][0], arg_next) &&
                  lows[l] == product_low(of_a[l][0], arg_next, highs[l]),
              i, l, 0);
    }
    end();
    begin("doubles_product");
    EACH(number, i, 0, tries) {
        /* sets the digits of b (n = 0), a (n = 1) and m (n = 2). The highest digits of b and a are
         * small, so that |a b| <= m R / 16, where R is the base of digits to the power N */
        EACH(unsigned, n, 0, 3) EACH(unsigned, k, 0, N) {
            long x = digit(n < 2 ? MORE : 0);
            if (k == N - 1)
                x = n == 2 ? TOP / 8 + labs(x) % (TOP / 8) : x / 16;
            if (n == 2 && k == 0 && !(x & 1))
                x = x > 0 ? x - 1 : x + 1;
            box[n * BOX_SPAN + k] = bits_of(REAL((double)x));
        }
        struct value b = value_of(box, N), a = value_of(box + BOX_SPAN, N),
                     m = value_of(box + 2 * BOX_SPAN, N);
        minv = minus_inverse(whole(box[2 * BOX_SPAN]));
        box[N] = 0;
        items_run(TEAM, product);
        struct value r = value_of(box + BOX_SPAN, N), q = value_of(box, N);
        CHECK(are_equal(value_up(r, N), value_sum(value_times(a, b), value_times(q, m))) &&
                  fabsl(r.about) <= 0.6 * m.about,
              i, 0, 0);
        EACH(unsigned, k, 0, N) CHECK(labs(whole(box[BOX_SPAN + k])) <= TOP + MORE, i, k, 1);
    }
    end();
    begin("doubles_square");
    EACH(number, i, 0, 1000) {
        EACH(unsigned, k, 0, BOX_SPAN) box[k] = 3, box[BOX_SPAN + k] = (u64)(i * 31 + k * 7);
        items_run(TEAM, square);
        EACH(unsigned, k, 0, N) CHECK(box[k] == box[BOX_SPAN + k], i, k, 0);
    }
    end();
}

/* ---- residues */

static number p;
static struct trace trace;
static void down(void) {
    got[item] = doubles_down(box + item * LANE_DIGITS, &trace, T);
}
static struct trace traces[TEAM];
static void trace_numbers(void) {
    got[item] = doubles_trace_of(box + item * LANE_DIGITS, traces + item, T);
}
static number power_of_half(number bits) {
    number r = 1;
    while (bits--)
        r = (r & 1 ? r + p : r) / 2;
    return r;
}

static void residues(void) {
    const number most = (number)1 << (2 * WORD - 3);
    EACH(int, way, 0, 2) {
        begin(way ? "doubles_trace_of"
                  : "doubles_down"); /* begin("doubles_trace_of") begin("doubles_down") */
        for (p = most - 1; p > 2 && p < most; p -= most / (step > 1 ? 20 : 2000) | 1) {
            if (!(p & 1))
                p--;
            number pinv = 1, shift = ((wide)1 << 2 * WORD) % p;
            for (int i = 0; i < 6; i++)
                pinv *= 2 - p * pinv;
            trace.p = p, trace.pinv = pinv;
            EACH(unsigned, l, 0, TEAM) {
                traces[l] = trace;
                traces[l].weight = (number)((wide)(shift * shift % p) *
                                            power_of_half(D * LANE_DIGITS * (TEAM - 1 - l)) % p);
            }
            EACH(number, i, 0, 50) {
                number sums[TEAM] = {0}, all = 0;
                EACH(unsigned, l, 0, TEAM) EACH(unsigned, k, 0, LANE_DIGITS) {
                    long x = digit(0);
                    x = x == TOP ? TOP - 1 : x;
                    box[l * LANE_DIGITS + k] = bits_of(REAL((double)x));
                    number residue = x < 0 ? p - (number)-x % p : (number)x % p;
                    sums[l] =
                        (sums[l] + (number)((wide)residue * power_of_half(D * (LANE_DIGITS - k)))) %
                        p;
                    all = (all +
                           (number)((wide)residue * power_of_half(D * (N - k - l * LANE_DIGITS)))) %
                          p;
                }
                items_run(TEAM, way ? trace_numbers : down);
                EACH(unsigned, l, 0, TEAM)
                if (way)
                    CHECK((number)got[l] == all * shift % p, i, p, l);
                else
                    CHECK((number)got[l] % p == sums[l] && got[l] < p + (1 << (2 * WORD - D)), i, p,
                          l);
            }
        }
        end();
    }
}

/* ---- numbers in the scratch memory of a power */

static struct power_scratch scratch[TEAM];
static u32 from[ROWS + 4], to[ROWS + 4], arg_which, arg_words, arg_bit, arg_entry, arg_secret;
static u64 table[TEAM * 4 * (LANE_DIGITS + 2) + 9];
static s64 carries[TEAM];
enum { ENTRIES = 4, MOST_WORDS = (D * N - 1) / WORD < ROWS ? (D * N - 1) / WORD : ROWS };

static void load(void) {
    scratch_load(scratch + item, arg_which, from, arg_words);
}
static void set_power(void) {
    scratch_power_of_2(scratch + item, arg_bit);
}
static void put(void) {
    scratch_put(scratch + item, arg_entry);
}
static void get(void) {
    scratch_get(scratch + item, arg_entry, ENTRIES, arg_secret);
}
static void carry(void) {
    carries[item] = scratch_carry(scratch + item);
}
static void resolve_number(void) {
    scratch_resolve(scratch + item);
}
static void store(void) {
    scratch_store(scratch + item, to, arg_words);
}

static void begin_scratch(int is_traced) {
    memset(scratch, 0, sizeof scratch);
    EACH(unsigned, l, 0, TEAM) {
        item = l;
        scratch[l].box = box, scratch[l].own = box + l * LANE_DIGITS, scratch[l].t = T;
        scratch[l].table = table + l, scratch[l].step = TEAM;
        scratch[l].trace.words.is_on = is_traced, scratch[l].trace.digits = traces[l];
        scratch[l].trace.digits.of_m = 5 % p;
    }
    item = 0;
}

/* Returns bit `bit` of {x, words}; 0 above the number. */
static int bit_of_words(const u32 *x, unsigned words, unsigned bit) {
    return bit < words * WORD ? (int)(unsigned)(x[bit / WORD] >> bit % WORD & 1) : 0;
}

/* Returns the value of {from, words}. */
static struct value value_of_words(unsigned words) {
    struct value v = {0, 0, 0};
    EACH(unsigned, k, 0, N) {
        long x = 0;
        EACH(unsigned, i, 0, D) x |= (long)bit_of_words(from, words, D * k + i) << i;
        v = value_add(v, x, k);
    }
    return v;
}

/* Sets the number at box + which to random digits. The highest digit is below `most`. */
static void give_number(unsigned which, long most) {
    EACH(unsigned, k, 0, N) {
        long x = digit(MORE);
        box[which + k] = bits_of(REAL((double)(k == N - 1 ? x % most : x)));
    }
}

static void copies(void) {
    const number tries = step > 1 ? 1000 : 100000;
    begin_scratch(0);
    begin("scratch_load");
    EACH(number, i, 0, tries) EACH(unsigned, words, 0, MOST_WORDS + 1) EACH(unsigned, which, 0, 3) {
        EACH(unsigned, k, 0, ROWS) {
            seed = seed * 6364136223846793005ul + 1442695040888963407ul;
            from[k] = i == 0 ? (u32) ~(u32)0 : i == 1 ? (u32)(1 << (WORD - 1)) : (u32)(seed >> 40);
        }
        arg_which = which == 0 ? OF_B : which == 1 ? (int)OF_A : (int)OF_M, arg_words = words;
        items_run(TEAM, load);
        CHECK(are_equal(value_of(box + (unsigned)arg_which, N), value_of_words(words)), i, words,
              which);
        EACH(unsigned, k, 0, N)
        CHECK(labs(whole(box[(unsigned)arg_which + k])) <= TOP, i, k, which);
    }
    end();
    begin("scratch_store");
    EACH(number, i, 0, tries) EACH(unsigned, words, 0, MOST_WORDS + 1) {
        EACH(unsigned, k, 0, N) {
            long x = digit(0);
            x = x < 0 ? x + 2 * TOP : x;
            box[OF_A + k] = bits_of(REAL((double)(x == 2 * TOP ? x - 1 : x)));
        }
        EACH(unsigned, k, 0, ROWS + 4) to[k] = 9;
        arg_words = words;
        items_run(TEAM, store);
        EACH(unsigned, b, 0, D *N)
        if (b < words * WORD)
            CHECK(bit_of_words(to, words, b) == (whole(box[OF_A + b / D]) >> b % D & 1), i, words,
                  b);
        CHECK(to[words] == 9, i, words, 0);
    }
    end();
    begin("scratch_power_of_2");
    EACH(int, is_traced, 0, 2) EACH(unsigned, bit, 0, D *N) {
        begin_scratch(is_traced);
        arg_bit = bit;
        items_run(TEAM, set_power);
        EACH(unsigned, k, 0, N)
        CHECK(whole(box[k]) == (k == bit / D ? 1l << bit % D : 0), bit, k, is_traced);
        items_run(TEAM, trace_numbers);
        EACH(unsigned, l, 0, TEAM)
        CHECK(scratch[l].residue[0] == (is_traced ? got[l] : (u64)0) && scratch[l].exponent[0] == 0,
              bit, l, is_traced);
    }
    end();
    begin("scratch_entry");
    EACH(int, is_traced, 0, 2)
    EACH(unsigned, entry, 0, ENTRIES) EACH(unsigned, k, 0, LANE_DIGITS + 2) {
        begin_scratch(is_traced);
        EACH(unsigned, l, 0, TEAM)
        CHECK(scratch_entry(scratch + l, (u32)entry, (u32)k) ==
                  table + l + (entry * (LANE_DIGITS + 2 * is_traced) + k) * TEAM,
              entry, k, l);
    }
    end();
    EACH(int, way, 0, 3) {
        static const char *const names[] = {"scratch_put", "scratch_get", "scratch_word"};
        begin(names[way]); /* begin("scratch_put") begin("scratch_get") begin("scratch_word") */
        EACH(int, is_traced, 0, 2) EACH(number, i, 0, tries) {
            static u64 was[ENTRIES][BOX_DIGITS], residues[ENTRIES];
            begin_scratch(is_traced);
            for (unsigned e = 0; e < ENTRIES; e++) {
                give_number(OF_A, TOP);
                EACH(unsigned, k, 0, N) was[e][k] = box[OF_A + k];
                EACH(unsigned, l, 0, TEAM)
                scratch[l].residue[1] = (u64)(i + e), scratch[l].exponent[1] = (u64)(7 * i + 5 * e);
                arg_entry = e;
                items_run(TEAM, put);
                if (way == 0)
                    EACH(unsigned, k, 0, N)
                CHECK(*scratch_entry(scratch + k / LANE_DIGITS, (u32)e, (u32)(k % LANE_DIGITS)) ==
                          box[OF_A + k],
                      i, e, k);
            }
            for (unsigned e = 0; e < ENTRIES && way; e++)
                EACH(int, secret, 0, 2) {
                    arg_entry = e, arg_secret = secret;
                    if (way == 2) {
                        EACH(unsigned, k, 0, N)
                        CHECK(scratch_word(scratch + k / LANE_DIGITS, (u32)e,
                                           (u32)(k % LANE_DIGITS), ENTRIES,
                                           (u32)secret) == was[e][k],
                              i, e, k);
                        continue;
                    }
                    items_run(TEAM, get);
                    EACH(unsigned, k, 0, N) CHECK(box[k] == was[e][k], i, e, k);
                    EACH(unsigned, l, 0, TEAM)
                    CHECK(scratch[l].residue[0] == (u64)(is_traced ? i + e : 0) &&
                              scratch[l].exponent[0] == (u64)(is_traced ? 7 * i + 5 * e : 0),
                          i, e, l);
                }
        }
        end();
    }
    begin("scratch_carry");
    begin_scratch(0);
    EACH(number, i, 0, tries) {
        give_number(OF_A, TOP);
        if (i % 5 == 0) /* makes a long chain of carries */
            EACH(unsigned, k, 0, N - 1)
        box[OF_A + k] = bits_of(REAL(i % 10 ? (k ? 0.0 : -1.0) : k ? 2.0 * TOP - 1 : 2.0 * TOP));
        struct value right = value_of(box + OF_A, N);
        items_run(TEAM, carry);
        EACH(unsigned, k, 0, N - 1)
        CHECK(whole(box[OF_A + k]) >= 0 && whole(box[OF_A + k]) < 2 * TOP, i, k, 0);
        EACH(unsigned, l, 0, TEAM)
        CHECK(are_equal(value_of(box + OF_A, N), right) &&
                  (long)carries[l] == whole(box[OF_A + N - 1]),
              i, l, 1);
    }
    end();
    begin("scratch_resolve");
    EACH(int, is_traced, 0, 2) EACH(number, i, 0, tries) {
        begin_scratch(is_traced);
        give_number(OF_A, TOP / 2), give_number(OF_M, TOP);
        box[OF_M + N - 1] = bits_of(REAL((double)TOP - 2));
        EACH(unsigned, l, 0, TEAM) scratch[l].residue[1] = 3 % p;
        struct value a = value_of(box + OF_A, N), m = value_of(box + OF_M, N);
        int is_negative = a.about < 0;
        items_run(TEAM, resolve_number);
        CHECK(are_equal(value_of(box + OF_A, N), is_negative ? value_sum(a, m) : a), i, is_negative,
              0);
        EACH(unsigned, k, 0, N)
        CHECK(whole(box[OF_A + k]) >= 0 && whole(box[OF_A + k]) < 2 * TOP, i, k, 1);
        EACH(unsigned, l, 0, TEAM)
        CHECK(scratch[l].residue[1] ==
                  (is_traced && is_negative ? (u64)((3 % p + 5 % p) % p) : (u64)(3 % p)),
              i, l, 2);
    }
    end();
}

int main(int argc, char **argv) {
    step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    digits();
    exchanges();
    rows();
    residues();
    copies();
    return 0;
}

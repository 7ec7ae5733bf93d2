/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks functions on numbers of two words. Words have 4 bits, so that all pairs of numbers and
 * moduli can be tried. */
#define WORD 4
#define LOG_WORD 2
#define DIGIT_WIDTH 3
#define ON_CPU
#define MODULAR_WORDS 2
#define SPAN 3
#define CARRY_THREADS 32
/* the number of a work-item in its group, and the number of the group */
static unsigned id, in_group;
#define LOCAL_ID ((u32)id)
#define GROUP_X ((u32)in_group)
#include "tests/proofs/narrow.h"

#include "kernels/modular/lanes.h"
#include "kernels/modular/montgomery.h"
#include "kernels/modular/traced.h"
#include "kernels/modular/power.h"
#include "kernels/modular/doubles_trace.h"
#define divide_team team_of
#include "kernels/modular/divide.h"
#include "kernels/modular/divide_plain.h"
#include "tests/proofs/enumerate.h"

#define NUMBERS 256 /* of two words */

static number value(const u32 *x) {
    return (number)x[0] | (number)x[1] << 4;
}

static const struct team two = {0, 0, 2};

/* The two words of the number v. */
#define WORDS(v)                                                                                   \
    { (u32)(v), (u32)((v) >> 4) }

static void carries(void) {
    begin("lanes_plain.h:lane_add");
    EACH(number, a, 0, NUMBERS) EACH(number, b, 0, NUMBERS) {
        u32 x[2] = WORDS(a), y[2] = WORDS(b);
        number carry = lane_add(x, y, two);
        CHECK(carry * NUMBERS + value(x) == a + b, a, b, carry);
    }
    end();
    begin("lanes_plain.h:team_subtract");
    EACH(number, a, 0, NUMBERS) EACH(number, b, 0, NUMBERS) {
        u32 x[2] = WORDS(a), y[2] = WORDS(b), d[2];
        number borrow = team_subtract(d, x, y, two);
        CHECK(a + borrow * NUMBERS == b + value(d), a, b, borrow);
    }
    end();
    begin("team_reduce");
    EACH(number, m, 1, NUMBERS) EACH(number, a, 0, m + NUMBERS) {
        u32 x[2] = WORDS(a), w[2] = WORDS(m);
        number done = team_reduce(x, a / NUMBERS, w, two);
        CHECK(done == (a >= m) && value(x) == a - done * m, a, m, done);
    }
    end();
    begin("team_add_modulo");
    EACH(number, m, 1, NUMBERS) EACH(number, a, 0, NUMBERS) EACH(number, b, 0, NUMBERS) {
        u32 x[2] = WORDS(a), y[2] = WORDS(b), w[2] = WORDS(m);
        if (a + b >= m + NUMBERS)
            continue;
        number done = team_add_modulo(x, y, w, two);
        CHECK(value(x) == a + b - done * m && (a + b >= 2 * m || value(x) < m), a, b, m);
    }
    end();
}

static void looks(void) {
    begin("lanes_plain.h:team_top");
    EACH(number, a, 0, NUMBERS) {
        u32 x[2] = WORDS(a);
        CHECK(team_top(x, two) == a / 16 > 0, a, 0, 0);
    }
    end();
    begin("lanes_plain.h:team_is_zero");
    EACH(number, a, 0, NUMBERS) {
        u32 x[2] = WORDS(a);
        CHECK(team_is_zero(x, two) == (a == 0), a, 0, 0);
    }
    end();
}

/* Returns -1/m modulo 16, from 0 to 15. */
static number minus_inverse(number m) {
    number x = 1;
    while (m * x % 16 != 15)
        x += 2;
    return x;
}

/* Checks Montgomery products for all odd m and all a and b. R is 256. */
static void products(void) {
    begin("montgomery_inverse");
    for (number m = 1; m < 16; m += 2)
        CHECK(montgomery_inverse(m) == minus_inverse(m), m, 0, 0);
    end();
    begin("lanes_plain.h:team_rows");
    for (number m = 1; m < NUMBERS; m += 2)
        EACH(number, a, 0, NUMBERS) EACH(number, b, 0, NUMBERS) {
            u32 x[2] = WORDS(a), y[2] = WORDS(b), w[2] = WORDS(m), r[2];
            number top = team_rows(r, x, y, w, minus_inverse(m), two);
            number whole = top * NUMBERS + value(r);
            CHECK(whole * 256 == a * b + value(y) * m && whole < m + a, a, b, m);
        }
    end();
    begin("montgomery_multiply");
    for (number m = 1; m < NUMBERS; m += 2)
        EACH(number, a, 0, NUMBERS) EACH(number, b, 0, NUMBERS) {
            u32 x[2] = WORDS(a), y[2] = WORDS(b);
            struct montgomery w = {WORDS(m), (u32)minus_inverse(m)};
            number c = montgomery_multiply(x, x, y, &w, two), r = value(x);
            CHECK((r + c * m) * 256 == a * b + value(y) * m && (r < m || (a >= m && b >= m)), a, b,
                  m);
        }
    end();
}

/* Returns 1/m modulo 256. Moduli of residues are below 2^5; for words of 32 bits the limit is
 * 2^61. */
static number residue_inverse(number m) {
    number x = 1;
    while (m * x % 256 != 1)
        x += 2;
    return x;
}

static void residues(void) {
    begin("residue_product");
    for (number m = 3; m < 32; m += 2)
        EACH(number, a, 0, 256) EACH(number, b, 0, m) {
            number r = residue_product(a, b, m, residue_inverse(m));
            CHECK(r < m && r * 256 % m == a * b % m, a, b, m);
        }
    end();
    begin("residue_plus");
    for (number m = 3; m < 32; m += 2)
        EACH(number, a, 0, m)
    EACH(number, b, 0, m) CHECK(residue_plus(a, b, m) == (a + b) % m, a, b, m);
    end();
    begin("residue_down");
    for (number m = 3; m < 32; m += 2)
        EACH(number, s, 0, m + 5) EACH(number, x, 0, 16) {
            number r = residue_down(s, x, m, residue_inverse(m));
            CHECK((r * 16 + x) % m == s % m, s, x, m);
        }
    end();
    begin("residue_half");
    for (number m = 3; m < 32; m += 2)
        EACH(number, x, 0, m) EACH(number, times, 0, 5) {
            number r = residue_half(x, times, m);
            CHECK(r < m && (r << times) % m == x, x, times, m);
        }
    end();
    begin("residue_double");
    for (number m = 3; m < 32; m += 2)
        EACH(number, x, 0, m)
    EACH(number, times, 0, 5)
    CHECK(residue_double(x, times, m) == (x << times) % m, x, times, m);
    end();
}

/* Checks that rest_row turns the number r into 16 r + word + q e - 256 q, and returns the word
 * above it. Also checks lane_highest and window_of. */
static void rows(void) {
    begin("divide_plain.h:rest_row");
    EACH(number, rest, 0, NUMBERS)
    EACH(number, e, 0, NUMBERS) EACH(number, q, 0, 16) EACH(number, word, 0, 16) {
        u32 r[2] = WORDS(rest), x[2] = WORDS(e), in = 0;
        number above = rest_row(r, &in, x, q, word, two);
        number whole = rest * 16 + word + q * e + 16 * NUMBERS - q * NUMBERS;
        CHECK((above * NUMBERS + value(r)) % (16 * NUMBERS) == whole % (16 * NUMBERS), rest, e, q);
    }
    end();
    begin("divide_plain.h:lane_highest");
    EACH(number, a, 0, NUMBERS) {
        u32 x[2] = WORDS(a);
        CHECK(lane_highest(x, two) == a, a, 0, 0);
    }
    end();
    begin("window_of");
    EACH(number, e, 0, NUMBERS) EACH(number, at, 0, 8) EACH(number, bits, 1, 4) {
        u32 x[2] = WORDS(e);
        CHECK(window_of(x, 2, at, bits) == (e >> at & ((1u << bits) - 1)), e, at, bits);
    }
    end();
}

/* Checks the functions that find, load and store the numbers of work-items. */
static void places(void) {
    u32 x[256], was[256];
    begin("divide_plain.h:rows_of");
    for (in_group = 0; in_group < 4; in_group++)
        for (id = 0; id < 8; id++)
            EACH(number, first, 0, 9) EACH(number, count, 0, 40) {
                struct rows w = rows_of(0, first, count, two);
                CHECK(w.number == first + 8 * in_group + id &&
                          w.there == (8 * in_group + id < count),
                      id, first, count);
            }
    id = in_group = 0;
    end();
    begin("divide_plain.h:rows_meet");
    rows_meet(); /* does nothing */
    inputs++;
    end();
    begin("divide_plain.h:rows_load");
    EACH(number, n, 0, 16) EACH(number, step, 0, 15) {
        struct rows w = {n, 1};
        CHECK(rows_load(w, x, step, 2) == x + n * step, n, step, 0);
    }
    end();
    begin("divide_plain.h:rows_result");
    EACH(number, n, 0, 16) EACH(number, step, 0, 15) {
        struct rows w = {n, 1};
        CHECK(rows_result(w, x, step) == x + n * step, n, step, 0);
    }
    end();
    begin("divide_plain.h:rows_store");
    EACH(number, n, 0, 14) EACH(number, words, 0, 15) EACH(number, used, 0, words + 1) {
        struct rows w = {n, 1};
        EACH(int, i, 0, 256) x[i] = was[i] = (u32)(1 + i % 15);
        rows_store(w, x, 15, words, used);
        EACH(number, i, 0, 256)
        CHECK(x[i] == (i >= 15 * n + used && i < 15 * n + words ? (u32)0 : was[i]), n, words, used);
    }
    end();
    begin("divide_plain.h:rest_take");
    EACH(number, a, 0, NUMBERS) {
        u32 r[2] = WORDS(a), in[2] = {3, 5};
        CHECK(rest_take(r, in, two) == 0 && value(r) == a && in[0] == 3, a, 0, 0);
    }
    end();
}

int main(void) {
    carries();
    looks();
    products();
    residues();
    rows();
    places();
    return 0;
}

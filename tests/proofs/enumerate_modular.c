/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares numbers with residues, constants of moduli, and the kernels that use them with exact
 * integers (kernels/modular/traced.h, modular_known.h, modular_arithmetic.h, doubles_trace.h,
 * power.h). If one work-item has a number (LANES is 1), tries all numbers. If a team of two has a
 * number, tries numbers at equal distances.
 * variant: -DWORD=4 -DLANES=1
 * variant: -DWORD=8 -DLANES=2 */
#define LOG_WORD 2
#define DIGIT_WIDTH 3
#define MODULAR_WORDS (2 * LANES)
#include "tests/proofs/items.h"
#include "tests/proofs/narrow.h"

#if LANES > 1
#define TEAM LANES
#include "tests/proofs/items_warp.h"
#endif

#include "kernels/modular/lanes.h"
#include "kernels/modular/montgomery.h"
#include "kernels/modular/traced.h"
#include "kernels/modular/power.h"
#include "kernels/modular/doubles_trace.h"
#include "kernels/modular/modular_arithmetic.h"
#include "tests/proofs/enumerate.h"

enum {
    ROWS = MODULAR_WORDS,
    MOST_P = 1 << (2 * WORD - 3),
    BASE = 1 << WORD,
    SQUARE = 1 << 2 * WORD, /* takes the place of 2^64 */
    KNOWN = MODULAR_KNOWN_WORDS(ROWS)
};
#define R ((number)1 << WORD * ROWS)
#define T team_of(LOCAL_ID, (u32)ROWS)

static number step; /* the program's argument; 1 makes it try the most numbers */

static number value(const u32 *x, unsigned words) {
    number r = 0;
    for (unsigned k = words; k-- > 0;)
        r = r << WORD | (number)x[k];
    return r;
}

static void give(u32 *x, unsigned words, number v) {
    for (unsigned k = 0; k < words; k++)
        x[k] = (u32)(v >> WORD * k);
}

/* ---- what the work-items read and write */

static u64 table[RESIDUE_ENTRIES];
static number p, r_inverse; /* p: an odd modulus of the check; r_inverse: 1 / R modulo p */
/* If a team has one number together, every APART-th number below `most` is tried. So about `count`
 * numbers are tried, or 16 `count` if `step` is 1. */
#define APART(most, count) ((most) / ((count) * (step == 1 ? 16 : 1)) | 1)
static u32 of_x[ROWS + 2], of_y[ROWS + 2], of_m[ROWS + 2], memory[2 * ROWS], count_words, is_traced;
static u64 got[2], arg_a, arg_b;
static u32 done[2];
static struct trace traces[2];
static struct doubles_trace doubles[2];
static struct number xs[2], ys[2];
static struct montgomery of_team[2];
static struct modulus moduli[2];
#define MINE(x) ((x) + 2 * (unsigned)LOCAL_ID)

/* inverse returns 1/x modulo p; word_inverse returns 1/m modulo `all`, a power of 2. */
static number inverse(number x) {
    number r = 1;
    while (x * r % p != 1)
        r++;
    return r;
}
static number word_inverse(number m, number all) {
    number x = 1;
    while (m * x % all != 1)
        x += 2;
    return x;
}

static void begin_prime(number prime) {
    number x = 1, down;
    p = prime;
    down = inverse(((number)1 << WORD * 2) % p); /* 2^(-2 WORD) modulo p: a lane has two words */
    table[RESIDUE_M] = p, table[RESIDUE_MINV] = word_inverse(p, SQUARE);
    table[RESIDUE_ONE] = SQUARE % p, table[RESIDUE_HIGH] = SQUARE % p * (SQUARE % p) % p;
    r_inverse = inverse(R % p);
    for (int i = 0; i < 4; i++, x = x * down % p)
        table[RESIDUE_DOWN + i] = (p - x) % p;
}
#define EACH_PRIME(q, most)                                                                        \
    for (number q = 3; q < (most) && (begin_prime(q), 1); q += LANES == 1 ? 2 : 1366)

/* Returns the residue that kernels store for x: SQUARE x / R modulo p, where SQUARE replaces
 * 2^64. */
static number stored(number x) {
    return x % p * SQUARE % p * r_inverse % p;
}

static void give_team(struct number *x, number v, number exponent) {
    u32 w[ROWS];
    give(w, ROWS, v);
    for (unsigned k = 0; k < LANES; k++) {
        x[k].x[0] = w[2 * k], x[k].x[1] = w[2 * k + 1];
        x[k].residue = stored(v), x[k].exponent = exponent;
    }
}
static number value_team(const struct number *x) {
    number r = 0;
    for (unsigned k = 0; k < LANES; k++)
        r |= value(x[k].x, 2) << 2 * WORD * k;
    return r;
}
static int is_team(const struct number *x, number v, number residue, number exponent) {
    for (unsigned k = 0; k < LANES; k++)
        if (x[k].residue != residue || x[k].exponent != exponent)
            return 0;
    return value_team(x) == v;
}

/* ---- residues */

static void begin_trace(void) {
    traces[item].is_on = 1;
    trace_begin(traces + item, table, T);
}
static void set_modulus(void) {
    begin_trace();
    trace_modulus(traces + item, of_m, (u32)ROWS, T);
}
/* Sets the modulus m of the traces and of the products. */
static void give_modulus(number m) {
    give(of_m, ROWS, m);
    items_run(LANES, set_modulus);
    for (unsigned k = 0; k < LANES; k++) {
        of_team[k].m[0] = of_m[2 * k], of_team[k].m[1] = of_m[2 * k + 1];
        of_team[k].minv = m & 1 ? BASE - word_inverse(m % BASE, BASE) : 0;
    }
}
static void get_down(void) {
    got[item] = lane_down(MINE(of_x), traces + item, T);
}
static void get_from(void) {
    got[item] = trace_from(item ? arg_b : arg_a, (u32)(LANES - 1));
}
static void get_sum(void) {
    got[item] = trace_sum(item ? arg_b : arg_a, traces + item, T);
}
static void get_of(void) {
    got[item] = trace_of(MINE(of_x), traces + item, T);
}
static void get_load(void) {
    got[item] = trace_load(of_x, count_words, traces + item, T);
}
static void get_product(void) {
    u64 q = lane_down(MINE(of_y), traces + item, T);
    got[item] = trace_product(arg_a, arg_b, q, done[0], traces + item, T);
}
#define EACH_LANE(k) EACH(unsigned, k, 0, LANES)

static void residues(void) {
    number numbers = LANES == 1 ? 1 : APART(R, 100);
    begin("trace_begin");
    EACH_PRIME(prime, MOST_P) {
        items_run(LANES, begin_trace);
        EACH_LANE(k) {
            number x = SQUARE % p * (SQUARE % p) % p;
            EACH(unsigned, j, k + 1, LANES) x = x * inverse(SQUARE % p) % p;
            CHECK(traces[k].p == p && traces[k].pinv == table[RESIDUE_MINV] &&
                      traces[k].weight == p - x,
                  p, k, x);
        }
    }
    end();
    begin("trace_minus");
    EACH_PRIME(prime, MOST_P) EACH(number, x, 0, p) {
        traces[0].p = p;
        CHECK(trace_minus(x, traces) == (p - x) % p, x, p, 0);
    }
    end();
    begin("lane_down");
    EACH_PRIME(prime, MOST_P) {
        items_run(LANES, begin_trace);
        for (number x = 0; x < R; x += numbers) {
            give(of_x, ROWS, x);
            items_run(LANES, get_down);
            EACH_LANE(k)
            CHECK(((number)got[k] * SQUARE + value(of_x + 2 * k, 2)) % p == 0 &&
                      got[k] <= p + BASE / 4,
                  x, p, k);
        }
    }
    end();
    begin("trace_from");
    EACH(number, a, 0, SQUARE) {
        arg_a = a, arg_b = 17 * a + 5;
        items_run(LANES, get_from);
        EACH_LANE(k) CHECK(got[k] == (LANES == 1 ? arg_a : arg_b), a, k, 0);
    }
    end();
    begin("trace_sum");
    EACH_PRIME(prime, MOST_P) {
        items_run(LANES, begin_trace);
        for (number a = 0; a < p; a += LANES == 1 ? 1 : APART(p, 20))
            for (number b = 0; b < (LANES == 1 ? 1 : p); b += APART(p, 20)) {
                arg_a = a, arg_b = b;
                items_run(LANES, get_sum);
                EACH_LANE(k) CHECK(got[k] == (a + b) % p, a, b, k);
            }
    }
    end();
    begin("trace_of");
    EACH_PRIME(prime, MOST_P) {
        items_run(LANES, begin_trace);
        for (number x = 0; x < R; x += numbers) {
            give(of_x, ROWS, x);
            items_run(LANES, get_of);
            EACH_LANE(k) CHECK(got[k] == stored(x), x, p, k);
        }
    }
    end();
    begin("trace_load");
    EACH_PRIME(prime, MOST_P) {
        items_run(LANES, begin_trace);
        for (number x = 0; x < R; x += numbers)
            EACH(unsigned, words, 0, ROWS + 1) {
                give(of_x, ROWS, x);
                count_words = (u32)words;
                items_run(LANES, get_load);
                EACH_LANE(k)
                CHECK(got[k] == stored(x & (((number)1 << WORD * words) - 1)), x, p, words);
            }
    }
    end();
    begin("trace_modulus");
    EACH_PRIME(prime, MOST_P) for (number m = 0; m < R; m += numbers) {
        give_modulus(m);
        EACH_LANE(k) {
            number right = (number)traces[k].weight * stored(m) % p * inverse(SQUARE % p) % p;
            CHECK(traces[k].of_m == stored(m) && traces[k].m_weight == right, m, p, k);
        }
    }
    end();
    begin("trace_product");
    EACH_PRIME(prime, LANES > 1 || step == 1 ? MOST_P : 8)
    for (number m = 1; m < R; m += R / 16 + 3) {
        give_modulus(m);
        for (number a = 0; a < p; a += LANES == 1 ? 1 : APART(p, 5))
            for (number b = 0; b < p; b += LANES == 1 ? 1 : APART(p, 5))
                for (number q = 0; q < R; q += R / 16 + 1)
                    EACH(number, c, 0, 2) {
                        number right =
                            (a * b + stored(q) * stored(m)) % p * inverse(SQUARE % p) % p;
                        arg_a = a, arg_b = b, done[0] = c;
                        give(of_y, ROWS, q);
                        items_run(LANES, get_product);
                        EACH_LANE(k) CHECK(got[k] == (right + c * (p - stored(m))) % p, a, b, q);
                    }
    }
    end();
    begin("trace_store");
    EACH(number, residue, 0, 256) EACH(number, nonce, 0, 256) {
        u64 record;
        trace_store(&record, residue, nonce);
        CHECK(record == (u64)(residue + 1 + nonce), residue, nonce, 0);
    }
    end();
}

/* ---- numbers */

static void do_set(void) {
    number_set(xs + item, ys + item, T);
}
static void do_load(void) {
    number_load(xs + item, of_x, count_words, traces + item, T);
}
static void do_multiply(void) {
    number_multiply(xs + item, ys + item, of_team + item, traces + item, T);
}
static void do_by(void) {
    number_by(xs + item, ys + item, of_team + item, traces + item, T);
}
static void do_leave(void) {
    number_leave(xs + item, of_team + item, traces + item, T);
}
static void do_add(void) {
    number_add(xs + item, ys + item, of_team + item, traces + item, T);
}
static void do_negate(void) {
    number_negate(xs + item, of_team + item, traces + item, T);
}

/* Calls work for pairs of numbers x and y, and odd moduli m. Checks each result by is_right. */
static void each_pair(void work(void), int is_right(number x, number y, number m)) {
    number by = LANES == 1 ? (step == 1 ? 1 : 5) : APART(R, 20),
           moduli = LANES == 1 ? 2 * by : R / 16 - 2;
    for (number m = 1; m < R; m += moduli) {
        begin_prime(3 + m / 2 % 15 * 2);
        give_modulus(m);
        for (number x = 0; x < R; x += by)
            for (number y = x % 3; y < R; y += by) {
                give_team(xs, x, x % p), give_team(ys, y, y % p);
                items_run(LANES, work);
                CHECK(is_right(x, y, m), x, y, m);
            }
    }
}
static int is_multiplied(number x, number y, number m) {
    number r = value_team(xs);
    return r * (R % m) % m == x * y % m && (r < m || (x >= m && y >= m)) &&
           is_team(xs, r, stored(r), (x % p + y % p) % p);
}
static int is_by(number x, number y, number m) {
    return is_multiplied(x, y, m) && is_team(ys, y, stored(y), y % p);
}
static int is_left(number x, number y, number m) {
    number r = value_team(xs);
    return r * (R % m) % m == x % m && (r < m || m == 1) && is_team(xs, r, stored(r), x % p);
}
static int is_added(number x, number y, number m) {
    number r = x + y < m ? x + y : x + y - m;
    return x + y >= m + R || is_team(xs, r, stored(r), x % p);
}
static int is_negated(number x, number y, number m) {
    return x > m || is_team(xs, m - x, stored(m - x), x % p);
}

static void numbers(void) {
    begin_prime(29);
    begin("number_set");
    for (number x = 0; x < R; x += LANES == 1 ? 1 : APART(R, 1000)) {
        give_team(ys, x, x % 256);
        items_run(LANES, do_set);
        CHECK(is_team(xs, x, stored(x), x % 256), x, 0, 0);
    }
    end();
    begin("number_load");
    EACH(int, is_on, 0, 2)
    for (number x = 0; x < R; x += LANES == 1 ? 1 : APART(R, 200))
        EACH(unsigned, words, 0, ROWS + 1) {
            number v = x & (((number)1 << WORD * words) - 1);
            give(of_x, ROWS, x);
            items_run(LANES, begin_trace);
            EACH_LANE(k) traces[k].is_on = is_on;
            count_words = (u32)words;
            items_run(LANES, do_load);
            CHECK(is_team(xs, v, is_on ? stored(v) : 0, 0), x, words, is_on);
        }
    end();
    begin("number_multiply");
    each_pair(do_multiply, is_multiplied);
    end();
    begin("number_by");
    each_pair(do_by, is_by);
    end();
    begin("number_leave");
    each_pair(do_leave, is_left);
    end();
    begin("number_add");
    each_pair(do_add, is_added);
    end();
    begin("number_negate");
    each_pair(do_negate, is_negated);
    end();
}

/* ---- constants of moduli */

static u32 known[KNOWN], kinds[2], verdict[2], arg_pass;
static void do_load_modulus(void) {
    load_modulus(of_team + item, of_m, known, 0, (u32)ROWS, T);
}
static void do_one(void) {
    find_one(xs[item].x, of_team + item, T);
}
static void do_square(void) {
    find_square(xs[item].x, ys[item].x, of_team + item, T);
}
static void do_powers(void) {
    done[item] = are_powers(xs[item].x, ys[item].x, of_team + item, T);
}
static void do_zeros(void) {
    done[item] = are_zeros(xs[item].x, ys[item].x, T);
}
static void do_prepare(void) {
    modular_prepare(known, kinds, of_m, 1, (u32)ROWS, (u32)ROWS);
}
static void do_check(void) {
    modular_check_known(verdict, arg_pass, known, kinds, of_m, 1, (u32)ROWS, (u32)ROWS);
}

static number kind_right(number m) {
    return m & 1 ? MODULAR_IS_ODD : m ? MODULAR_IS_EVEN : MODULAR_IS_ZERO;
}

/* Returns true if `known` and `kinds` have the constants that modular_prepare must compute for
 * m. */
static int are_known(number m) {
    number one = m & 1 ? R % m : 0, square = m & 1 ? R % m * (R % m) % m : 0;
    return value(known, ROWS) == square && value(known + ROWS, ROWS) == one &&
           known[2 * ROWS] == (m & 1 ? BASE - word_inverse(m % BASE, BASE) : 0) &&
           known[2 * ROWS + 1] == 0 && kinds[0] == kind_right(m) && kinds[1] == 0;
}

/* Checks modular_check_known: it must accept the constants of m, and reject each change of a
 * word. */
static void checks(number m) {
    give(of_m, ROWS, m);
    items_run(LANES, do_prepare);
    EACH(unsigned, k, 0, KNOWN + 2) EACH(unsigned, change, 0, 16) {
        u32 *word = k < KNOWN ? known + k : kinds + k - KNOWN;
        *word ^= change * (BASE / 16);
        verdict[0] = verdict[1] = 0, arg_pass = 5;
        items_run(LANES, do_check);
        int is_good = are_known(m);
        CHECK(verdict[0] == (is_good ? 5 : 0) && verdict[1] == !is_good && is_good == (change == 0),
              m, k, change);
        *word ^= change * (BASE / 16);
    }
}

static void constants(void) {
    number by = LANES == 1 ? 1 : APART(R, 100);
    begin("load_modulus");
    for (number m = 0; m < R; m += by) {
        give(of_m, ROWS, m), known[2 * ROWS] = (u32)(m >> 3);
        items_run(LANES, do_load_modulus);
        EACH_LANE(k)
        CHECK(of_team[k].m[0] == of_m[2 * k] && of_team[k].m[1] == of_m[2 * k + 1] &&
                  of_team[k].minv == (u32)(m >> 3),
              m, k, 0);
    }
    end();
    begin("find_one");
    for (number m = 1; m < R; m += by) {
        give_modulus(m);
        items_run(LANES, do_one);
        CHECK(value_team(xs) == R % m, m, 0, 0);
    }
    end();
    begin("find_square");
    for (number m = 1; m < R; m += 2 * by) {
        give_modulus(m);
        give_team(ys, R % m, 0);
        items_run(LANES, do_square);
        CHECK(value_team(xs) == R % m * (R % m) % m, m, 0, 0);
    }
    end();
    begin("are_powers");
    for (number m = 1; m < R; m += LANES == 1 ? step == 1 ? 2 : 14 : R / 8 + 2) {
        give_modulus(m);
        number one = R % m, square = one * one % m,
               each = LANES == 1 ? step == 1 ? 1 : 3 : APART(R, 9);
        for (number x = square % each; x < R; x += each)
            for (number y = one % each; y < R; y += each) {
                give_team(xs, x, 0), give_team(ys, y, 0);
                items_run(LANES, do_powers);
                EACH_LANE(k) CHECK(done[k] == (x == square && y == one), x, y, m);
            }
    }
    end();
    begin("are_zeros");
    for (number x = 0; x < R; x += LANES == 1 ? 1 : R / 256)
        for (number y = 0; y < R; y += LANES == 1 ? 1 : R / 256) {
            give_team(xs, x, 0), give_team(ys, y, 0);
            items_run(LANES, do_zeros);
            EACH_LANE(k) CHECK(done[k] == (x == 0 && y == 0), x, y, k);
        }
    end();
    begin("modular_prepare");
    for (number m = 0; m < R; m += by) {
        give(of_m, ROWS, m);
        items_run(LANES, do_prepare);
        CHECK(are_known(m), m, 0, 0);
    }
    end();
    begin("modular_check_known");
    for (number m = 0; m < R; m += LANES == 1 ? step == 1 ? 1 : 3 : APART(R, 5))
        checks(m);
    end();
}

/* ---- arithmetic */

static u32 arg_kind, arg_words;
static u64 record[2];
static void do_begin(void) {
    modulus_begin(moduli + item, table, is_traced, T);
    modulus_load(moduli + item, of_m, known, 0, (u32)ROWS, T);
}
static void do_reduce_any(void) {
    do_begin();
    reduce_any(xs + item, moduli + item, T);
}
static void do_combine(void) {
    do_begin();
    combine(xs + item, ys + item, arg_kind, moduli + item, T);
}
static void do_reduce(void) {
    do_begin();
    reduce(xs + item, memory, arg_words, moduli + item, T);
}
static void do_arithmetic(void) {
    modular_arithmetic(memory, of_x, of_y, of_m, known, 1, (u32)ROWS, (u32)ROWS, arg_words,
                       arg_kind, 0);
}
static void do_arithmetic_traced(void) {
    struct arithmetic a = {memory,    of_x,      of_y,      of_m,     known, 1,
                           (u32)ROWS, (u32)ROWS, arg_words, arg_kind, 0,     77};
    arithmetic_by_team(&a, record, table, 1);
}
static void do_kernel_traced(void) {
    modular_arithmetic_traced(memory, of_x, of_y, of_m, known, record, 1, (u32)ROWS, (u32)ROWS,
                              arg_words, arg_kind, 0, (const u32 *)table, 0, 77);
}

/* Sets the modulus m and its constants. */
static void give_known(number m) {
    give_modulus(m);
    give(known, ROWS, R % m * (R % m) % m), give(known + ROWS, ROWS, R % m);
    known[2 * ROWS] = of_team[0].minv, known[2 * ROWS + 1] = 0;
}

static int is_result(number r, int is_on) {
    return is_team(xs, r, is_on ? stored(r) : (number)xs[0].residue, (number)xs[0].exponent);
}

static number expected(number x, number y, number m, number kind) {
    return kind == MODULAR_ADD   ? (x + y) % m
           : kind == MODULAR_SUB ? (x % m + m - y % m) % m
                                 : x * y % m;
}

static void arithmetic(void) {
    number each = LANES == 1 ? step == 1 ? 3 : 23 : APART(R, 10);
    number odd = LANES == 1 ? step == 1 ? 2 : 22 : R / 8 - 2;
    begin("modulus_begin");
    begin_prime(23);
    for (number m = 1; m < R; m += LANES == 1 ? 2 : 2 * APART(R, 20))
        EACH(u32, traced, 0, 2) {
            give_known(m);
            is_traced = traced;
            items_run(LANES, do_begin);
            EACH_LANE(k)
            CHECK(moduli[k].trace.is_on == traced &&
                      (!traced || moduli[k].trace.weight == traces[k].weight),
                  m, k, 0);
        }
    end();
    begin("modulus_load");
    for (number m = 1; m < R; m += odd) {
        number square = R % m * (R % m) % m, all = 0;
        give_known(m);
        is_traced = 1;
        items_run(LANES, do_begin);
        EACH_LANE(k) {
            all |= value(moduli[k].square.x, 2) << 2 * WORD * k;
            CHECK(moduli[k].w.m[0] == of_m[2 * k] && moduli[k].w.m[1] == of_m[2 * k + 1] &&
                      moduli[k].w.minv == of_team[0].minv,
                  m, k, 0);
            CHECK(moduli[k].trace.of_m == stored(m) && moduli[k].square.residue == stored(square),
                  m, k, 1);
        }
        CHECK(all == square, m, 0, 2);
    }
    end();
    begin("reduce_any");
    for (number m = 1; m < R; m += odd) {
        give_known(m);
        for (number x = 0; x < R; x += LANES == 1 ? 1 : each) {
            give_team(xs, x, 0);
            items_run(LANES, do_reduce_any);
            CHECK(is_result(x % m, 1), x, m, 0);
        }
    }
    end();
    begin("modular_arithmetic.h:combine");
    for (number m = 1; m < R; m += odd) {
        give_known(m);
        for (number x = 0; x < R; x += each)
            for (number y = m % each; y < R; y += each)
                for (arg_kind = MODULAR_ADD; arg_kind <= MODULAR_MUL; arg_kind++) {
                    give_team(xs, x, 0), give_team(ys, y, 0);
                    items_run(LANES, do_combine);
                    CHECK(is_result(expected(x, y, m, (number)arg_kind), 1), x, y, m);
                }
    }
    end();
    begin("reduce");
    for (number m = 1; m < R; m += odd) {
        give_known(m);
        EACH(unsigned, words, 1, 2 * ROWS + 1)
        for (number i = 0; i < 256; i += LANES == 1 ? 1 : 5) {
            number u = LANES == 1 ? i | (i * 167 % 256) << 8 : i * 0x9e3779b97f4a7c15ul;
            if (i == 255)
                u = ~(number)0;
            u &= ~(number)0 >> (64 - WORD * words);
            give(memory, words, u), arg_words = (u32)words;
            items_run(LANES, do_reduce);
            CHECK(is_result(u % m, 1), i, words, m);
        }
    }
    end();
    static void (*const way[])(void) = {do_arithmetic, do_arithmetic_traced, do_kernel_traced};
    static const char *const names[] = {"modular_arithmetic", "arithmetic_by_team",
                                        "modular_arithmetic_traced"};
    EACH(int, w, 0, 3) {
        begin(names[w]); /* begin("modular_arithmetic") begin("arithmetic_by_team")
                            begin("modular_arithmetic_traced") */
        for (number m = 1; m < R; m += odd) {
            give_known(m);
            for (number x = 0; x < R; x += each)
                for (number y = m % each; y < R; y += each)
                    for (arg_kind = MODULAR_ADD; arg_kind <= MODULAR_MUL; arg_kind++) {
                        number r = expected(x, y, m, (number)arg_kind);
                        give(of_x, ROWS, x), give(of_y, ROWS, y), arg_words = 0, record[0] = 0;
                        items_run(LANES, way[w]);
                        CHECK(value(memory, ROWS) == r, x, y, m);
                        CHECK(w == 0 || record[0] ==
                                            (u64)((u64)stored(r) + 1 +
                                                  (u64)((u64)77 + MODULAR_KEY(arg_kind, (u32)ROWS,
                                                                              (u32)ROWS, arg_words,
                                                                              (u32)0))),
                              x, y, m);
                    }
        }
        end();
    }
}

/* ---- residues of numbers in doubles, and of powers */

static void do_doubles(void) {
    doubles[item].words.is_on = 1;
    doubles_trace_begin(doubles + item, table, T);
    doubles_trace_modulus(doubles + item, of_m, (u32)ROWS, T);
    got[item] = doubles_trace_load(of_x, (u32)ROWS, doubles + item, T);
}

static void double_traces(void) {
    EACH(int, w, 0, 4) {
        static const char *const names[] = {"doubles_trace_begin", "doubles_trace_load",
                                            "doubles_trace_modulus", "doubles_trace_up"};
        begin(names[w]); /* begin("doubles_trace_begin") begin("doubles_trace_load")
                            begin("doubles_trace_modulus") begin("doubles_trace_up") */
        EACH_PRIME(prime, MOST_P)
        for (number m = 1; m < R; m += R / 16 + 1)
            EACH(number, x, 0, LANES == 1 ? 256 : 16) {
                number half = 1, of_x_right, of_m_right;
                EACH(int, i, 0, ROWS / 2) half = half * 2 % p;
                give(of_m, ROWS, m), give(of_x, ROWS, x * 257 % R);
                items_run(LANES, do_doubles);
                of_x_right = stored(x * 257 % R) * inverse(half) % p,
                of_m_right = stored(m) * inverse(half) % p;
                EACH_LANE(k) {
                    const struct doubles_trace *c = doubles + k;
                    number weight = (p - (number)c->words.weight) % p;
                    EACH(unsigned, j, k + 1, LANES) weight = weight * inverse(2) % p;
                    if (w == 0)
                        CHECK(c->digits.p == p && c->up == SQUARE * half % p &&
                                  c->down == SQUARE * inverse(half) % p &&
                                  c->digits.weight == weight,
                              x, m, p);
                    else if (w == 1)
                        CHECK(got[k] == of_x_right, x, m, p);
                    else if (w == 2)
                        CHECK(c->digits.of_m == of_m_right &&
                                  c->digits.m_weight ==
                                      weight * of_m_right % p * inverse(SQUARE % p) % p,
                              x, m, p);
                    else
                        CHECK(doubles_trace_up(got[k], c) == stored(x * 257 % R), x, m, p);
                }
            }
        end();
    }
}

static void powers(void) {
    static u32 words[256];
    static u64 entries[256];
    begin("exponent_of");
    EACH(u32, shared, 0, 4) EACH(u64, i, 0, 8) EACH(u32, each, 0, 8) {
        struct powers w = {0};
        w.e = words, w.exponent_words = each, w.window = 3, w.is_secret = each & 1,
        w.shared = shared;
        struct exponent e = exponent_of(&w, i);
        CHECK(e.e == words + (shared & 2 ? 0 : (int)i * (int)each) && e.words == each &&
                  e.window == 3 && e.is_secret == (each & 1),
              shared, i, each);
    }
    end();
    begin("power_has_next");
    EACH(number, first, 0, 32) EACH(number, slot, 0, 32) EACH(number, count, 0, 80) {
        struct powers w = {0};
        number has = 0, teams = WORD / LANES;
        w.count = count;
        EACH(number, s, slot / teams * teams, slot / teams * teams + teams)
        has |= first + s < count;
        CHECK(power_has_next(&w, first, slot) == has, first, slot, count);
    }
    end();
    begin("power_record");
    EACH(number, count, 1, 60) EACH(number, x, 0, 256) {
        EACH(int, i, 0, 256) entries[i] = 3;
        power_record(entries, x, x * 5, x * 7, x * 11, count, x * 13);
        EACH(number, i, 0, 4 * count)
        CHECK(entries[i] ==
                  (i % count ? (u64)3
                             : (u64)(x * (i == 0 ? 1 : 3 + 2 * (i / count) + (i / count == 3) * 2) +
                                     1 + x * 13)),
              count, x, i);
    }
    end();
}

int main(int argc, char **argv) {
    step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    residues();
    numbers();
    constants();
    arithmetic();
    double_traces();
    powers();
    return 0;
}

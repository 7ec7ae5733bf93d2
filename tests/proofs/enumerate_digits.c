/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares numbers in digits, computed by teams of work-items (kernels/modular/digits.h,
 * divsteps.h), with exact integers. Tries all first rows of the matrices, with pseudo-random
 * numbers. Teams exchange words through local memory or by shuffles, or have one work-item. A word
 * can need bits of three digits, as with words of 32 bits and digits of 28 bits.
 * variant: -DWORD=6 -DDIGIT_WIDTH=3 -DDIGITS=2 -DMOST_ITEMS=4
 * variant: -DWORD=6 -DDIGIT_WIDTH=3 -DDIGITS=1 -DMOST_ITEMS=4
 * variant: -DWORD=8 -DDIGIT_WIDTH=6 -DDIGITS=1 -DMOST_ITEMS=4 -DBY_SHUFFLES
 * variant: -DWORD=6 -DDIGIT_WIDTH=3 -DDIGITS=2 -DMOST_ITEMS=1 -DON_CPU
 * variant: -DWORD=8 -DDIGIT_WIDTH=6 -DDIGITS=2 -DMOST_ITEMS=2 */
#define LOG_WORD 3 /* only used for words of 8 bits */
#include "tests/proofs/items.h"
#include "tests/proofs/narrow.h"

#ifdef BY_SHUFFLES /* emulates shfl.sync of the PTX ISA for rows of ITEMS work-items */
#define SHUFFLE_H
#define SHUFFLES
#define UNROLL_DIGITS
#define UNROLL_HERE
static u32 shuffle_down(u32 x, u32 size) {
    return items_exchange((unsigned)x)[item % (unsigned)size + 1 < size ? item + 1 : item];
}
static u32 shuffle_up(u32 x, u32 size) {
    return items_exchange((unsigned)x)[item % (unsigned)size ? item - 1 : item];
}
static u32 shuffle_from(u32 x, u32 lane, u32 size) {
    unsigned at = item / (unsigned)size * (unsigned)size + (unsigned)lane;
    return items_exchange((unsigned)x)[at];
}
static u32 shuffle_across(u32 x, u32 mask) {
    return items_exchange((unsigned)x)[(item ^ (unsigned)mask) % ITEMS_MOST];
}
#endif
#include "kernels/modular/euclid.h"
#undef EUCLID_THREADS_OF
#define EUCLID_THREADS_OF(digits) ITEMS
#define ITEMS MOST_ITEMS
#include "kernels/modular/divsteps.h"
#include "tests/proofs/enumerate.h"

enum { BASE = 1 << DIGIT_WIDTH, HALF_WORD = 1 << (WORD - 1) };
static number step;
/* Each variant of this program tries all possible numbers of work-items that share a number. */
#define EACH_SIZE(s) for (unsigned s = 1; s <= ITEMS; s *= 2)
static unsigned size; /* of teams */
static u32 box[ITEMS * 40], words[8], stored[8], count_words;
static u32 digits[ITEMS][DIGITS * ITEMS], other[ITEMS][DIGITS * ITEMS],
    third[ITEMS][DIGITS * ITEMS], given[ITEMS][4], next[ITEMS][4], all_of[ITEMS][4], got[ITEMS];
static int at;
static u32 arg, count_given, arg_round;
#define T team_of((u32)size, box)
/* OWN: digits of a work-item. LANE(k): place of work-item k in its team. IN_TEAM: work-items of a
 * team, 1 on CPUs. */
#ifdef TEAMS
#define OWN DIGITS
#define LANE(k) ((k) % size)
#define IN_TEAM size
#else
#define OWN (DIGITS * size)
#define LANE(k) 0
#define IN_TEAM 1
#endif
#define ALL_DIGITS (OWN * IN_TEAM)

/* Returns the number in a team's signed digits. The team begins with work-item `first`. */
static long value(u32 (*d)[DIGITS * ITEMS], unsigned first) {
    long r = 0;
    for (unsigned i = ALL_DIGITS; i-- > 0;)
        r = r * BASE + (long)(s32)d[first + i / OWN][i % OWN];
    return r;
}

/* ---- exchange */

static void post_above(void) {
    struct team t = T;
    team_from_above(t, arg_round, given[item], next[item], all_of[item], count_given);
    team_done(t);
}
static void post_below(void) {
    struct team t = T;
    team_from_below(t, arg_round, given[item], next[item], all_of[item], count_given);
    team_done(t);
}
static void post(void) {
#ifdef TEAMS
    team_post(T, arg_round, given[item], count_given);
    got[item] = 0;
    EACH(u32, i, 0, count_given) {
        u32 x = BOX(T, arg_round, i, (item + 1) % ITEMS);
        got[item] += x != given[(item + 1) % ITEMS][i];
    }
#endif
}
/* Exchanges words twice through the same memory. Without team_done, the second exchange could
 * overwrite words before they are read. */
static void twice(void) {
    struct team t = T;
    u32 mine[1] = {(u32)item}, above[1], lowest[1];
    team_from_above(t, 0, mine, above, lowest, 1);
    team_done(t);
    mine[0] = (u32)(item + 3);
    got[item] = lowest[0];
    team_from_above(t, 0, mine, next[item], all_of[item], 1);
    got[item] += above[0];
}
static void find_greatest(void) {
    got[item] = greatest_together(T, given[item][0]);
}
static void find_least(void) {
    got[item] = least_of_team(T, given[item][0]);
}

static void exchanges(void) {
    begin("digits.h:team_of");
    EACH_SIZE(s) EACH(unsigned, id, 0, ITEMS) {
        size = s, item = id;
        struct team t = T;
        CHECK(t.size == IN_TEAM && t.lane == LANE(id) && t.is_top == (LANE(id) == IN_TEAM - 1) &&
                  t.digits == OWN && t.box == box,
              s, id, 0);
    }
    item = 0;
    end();
    begin("digits.h:place_of");
    EACH_SIZE(s)
    EACH(number, count, 1, 12)
    EACH(number, from, 0, 3) EACH(unsigned, g, 0, 3) EACH(unsigned, id, 0, ITEMS) {
        size = s, item = id, the_group = g;
        struct place q = place_of(from, count, T);
        number own = g * (ITEMS / IN_TEAM) + id / IN_TEAM;
        CHECK(q.is_there == (own < count) && q.own == (own < count ? own : count - 1) &&
                  q.index == from + (number)q.own,
              own, count, s);
    }
    item = the_group = 0;
    end();
    EACH(int, way, 0, 2) {
        begin(way ? "team_from_above"
                  : "team_from_below"); /* begin("team_from_above") begin("team_from_below") */
        EACH_SIZE(s) EACH(number, round, 0, 2) EACH(number, count, 1, 5) EACH(number, i, 0, 256) {
            size = s, arg_round = round, count_given = count;
            EACH(unsigned, k, 0, ITEMS)
            EACH(unsigned, j, 0, 4) given[k][j] = (u32)(i * 0x9e3779b1u >> (3 * k + 2 * j));
            items_run(ITEMS, way ? post_above : post_below);
            EACH(unsigned, k, 0, ITEMS) EACH(unsigned, j, 0, count) {
                unsigned first = k - LANE(k), end = way ? first : first + IN_TEAM - 1;
                u32 right = way       ? LANE(k) + 1 < IN_TEAM ? given[k + 1][j] : (u32)0
                            : LANE(k) ? given[k - 1][j]
                                      : (u32)0;
                CHECK(next[k][j] == right && all_of[k][j] == given[end][j], i, k, j);
            }
        }
        end();
    }
#ifdef TEAMS
    begin("team_post");
    EACH(number, round, 0, 2) EACH(number, count, 1, 5) EACH(number, i, 0, 256) {
        size = ITEMS, arg_round = round, count_given = count;
        EACH(unsigned, k, 0, ITEMS)
        EACH(unsigned, j, 0, 4) given[k][j] = (u32)(i * 0x9e3779b1u >> (3 * k + 2 * j));
        items_run(ITEMS, post);
        EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == 0, i, k, count);
    }
    end();
#endif
    begin("team_done");
    EACH_SIZE(s) {
        size = s;
        items_run(ITEMS, twice);
        EACH(unsigned, k, 0, ITEMS) {
            unsigned first = k - LANE(k), above = LANE(k) + 1 < IN_TEAM ? k + 1 : 0;
            CHECK(got[k] == (u32)(first + above) && next[k][0] == (u32)(above ? above + 3 : 0) &&
                      all_of[k][0] == (u32)(first + 3),
                  s, k, got[k]);
        }
    }
    end();
    begin("least_of_team");
    EACH_SIZE(s) EACH(number, i, 0, 1 << 3 * ITEMS) {
        size = s;
        EACH(unsigned, k, 0, ITEMS) given[k][0] = (u32)(i >> 3 * k & 7);
        items_run(ITEMS, find_least);
        EACH(unsigned, k, 0, ITEMS) {
            u32 least = given[k][0];
            EACH(unsigned, j, k - LANE(k), k - LANE(k) + IN_TEAM)
            least = given[j][0] < least ? given[j][0] : least;
            CHECK(got[k] == least, i, k, s);
        }
    }
    end();
#ifndef BY_SHUFFLES /* shuffles need a whole row of work-items */
    begin("greatest_together");
    EACH_SIZE(s) EACH(number, i, 0, 1 << 3 * ITEMS) {
        size = s;
        EACH(unsigned, k, 0, ITEMS) given[k][0] = (u32)(i >> 3 * k & 7);
        items_run(ITEMS, find_greatest);
        EACH(unsigned, k, 0, ITEMS) {
            u32 most = 0;
            EACH(unsigned, j, 0, ITEMS) most = given[j][0] > most ? given[j][0] : most;
            CHECK(got[k] == most, i, k, s);
        }
    }
    end();
#endif
}

/* ---- words and digits */

static void load(void) {
    digits_load(digits[item], T, words, count_words, (s32)at);
}
static void store(void) {
    digits_store(stored, count_words, digits[item], T, (s32)at, arg);
}
static void resolve(void) {
    got[item] = digits_resolve(digits[item], T, arg);
}
static void look(void) {
    got[item] = digits_are_negative(digits[item], T);
}
static void negate(void) {
    digits_negate(digits[item], T, arg);
}

/* Sets the digits of all teams. The first team gets the digits of `code` in base `kinds`, plus
 * `least`. */
static void give(u32 (*d)[DIGITS * ITEMS], number code, number kinds, int least) {
    for (unsigned k = 0; k < ITEMS; k += IN_TEAM) {
        number rest = code + (k ? code * 7 + 3 : 0);
        for (unsigned i = 0; i < ALL_DIGITS; i++, rest /= kinds)
            d[k + i / OWN][i % OWN] = (u32)(s32)((int)(rest % kinds) + least);
    }
}
static number power(number x, unsigned n) {
    number r = 1;
    while (n--)
        r *= x;
    return r;
}

/* Checks conversions between words and digits. */
static void loads(void) {
#if WORD == 8
    begin("digits_load");
    EACH_SIZE(s)
    for (number x = 0; x < 1 << 24; x += 1 + 255 * 17 * (step > 1 ? 7 : 1))
        EACH(number, count, 0, 4) for (at = -24; at < 30; at++) {
            size = s, count_words = count;
            number all = x & ((1u << 8 * count) - 1);
            EACH(int, i, 0, 3) words[i] = (u32)(x >> 8 * i);
            items_run(ITEMS, load);
            EACH(unsigned, k, 0, ITEMS) EACH(unsigned, i, 0, OWN) {
                int bit = at + (int)(LANE(k) * OWN + i) * DIGIT_WIDTH;
                number right = bit < -24 ? 0 : bit < 0 ? all << -bit : all >> bit;
                CHECK(digits[k][i] == (right & (BASE - 1)), x, at, count);
            }
        }
    end();
#endif
    begin("digits_store");
    EACH_SIZE(s) {
        size = s;
        number all = power(BASE, ALL_DIGITS),
               each = all > 4096 ? all / 4096 * (step > 1 ? 7 : 1) | 1 : 1;
        for (number x = 0; x < all; x += each)
            EACH(int, sign, 0, 2)
        EACH(number, count, 0, 4) for (at = -6; at < (WORD == 8 ? 20 : 9); at++) {
            count_words = count, arg = 1;
            give(digits, x, BASE, 0);
            /* the highest digit may be negative */
            EACH(unsigned, k, 0, ITEMS)
            if (LANE(k) == IN_TEAM - 1 && sign)
                digits[k][OWN - 1] |= (u32)(s32)-BASE;
            unsigned __int128 v = (unsigned __int128)(__int128)value(digits, 0);
            EACH(unsigned, i, 0, 8) stored[i] = 9;
            items_run(1 * ITEMS, store);
            EACH(unsigned, i, 0, 8) {
                int bit = (int)(WORD * i) + at;
                /* the bits above the word of the highest digit must be zeros */
                number top = (number)DIGIT_WIDTH * (ALL_DIGITS - 1) + WORD;
                unsigned __int128 whole = v & (((unsigned __int128)1 << top) - 1),
                                  right = bit < 0 ? whole << -bit : whole >> bit;
                if (ITEMS > IN_TEAM || i >= count)
                    continue;
                CHECK(stored[i] == (u32)right || bit + WORD > DIGIT_WIDTH * (int)ALL_DIGITS, x, at,
                      i);
                CHECK(stored[i] == (u32)right || sign, x, at, i);
            }
            if (count < 8)
                CHECK(stored[(int)count] == 9, x, at, count);
        }
        /* nothing may be stored if is_there is 0 */
        arg = 0, count_words = 2, stored[0] = 9;
        items_run(ITEMS, store);
        CHECK(stored[0] == 9, 0, 0, s);
    }
    end();
}

static void signs(void) {
    const int most = HALF_WORD - 1 - (HALF_WORD >> DIGIT_WIDTH), kinds = 2 * most + 1;
    begin("digits_resolve");
    EACH_SIZE(s) for (int is_open = 0; is_open < 2; is_open++) {
        size = s, arg = is_open;
        number all = power(kinds, ALL_DIGITS),
               each = all > 3000 ? all / (step > 1 ? 3000 : 300000) | 1 : 1;
        for (number x = 0; x < all; x += each) {
            long was[ITEMS], out = power(BASE, ALL_DIGITS);
            give(digits, x, kinds, -most);
            for (unsigned k = 0; k < ITEMS; k += IN_TEAM)
                was[k] = value(digits, k);
            items_run(ITEMS, resolve);
            EACH(unsigned, k, 0, ITEMS) {
                unsigned first = k - LANE(k);
                EACH(unsigned, i, 0, OWN)
                if (is_open || i + 1 < OWN || LANE(k) + 1 < IN_TEAM)
                    CHECK(digits[k][i] < BASE, x, k, i);
                CHECK(was[first] ==
                              value(digits, first) + (is_open ? (long)(s32)got[k] * out : 0) &&
                          (is_open || got[k] == 0),
                      x, k, got[k]);
            }
        }
    }
    end();
    begin("digits_are_negative");
    EACH_SIZE(s) {
        size = s;
        number all = power(BASE, ALL_DIGITS), each = all > 1000 ? all / 1000 | 1 : 1;
        for (number x = 0; x < all; x += each)
            EACH(int, high, -HALF_WORD, HALF_WORD) {
                give(digits, x, BASE, 0);
                EACH(unsigned, k, 0, ITEMS)
                if (LANE(k) == IN_TEAM - 1)
                    digits[k][OWN - 1] = (u32)(s32)(k ? -high - 1 : high);
                long is[ITEMS];
                EACH(unsigned, k, 0, ITEMS) is[k] = value(digits, k - LANE(k)) < 0;
                items_run(ITEMS, look);
                EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == is[k], x, high, k);
            }
    }
    end();
    begin("digits_negate");
    EACH_SIZE(s) EACH(int, is_on, 0, 2) {
        size = s, arg = is_on ? (u32) ~(u32)0 : (u32)0;
        number all = power(kinds, ALL_DIGITS), each = all > 3000 ? all / 3000 | 1 : 1;
        for (number x = 0; x < all; x += each) {
            give(digits, x, kinds, -most);
            long was = value(digits, 0);
            items_run(ITEMS, negate);
            CHECK(value(digits, 0) == (is_on ? -was : was), x, s, is_on);
        }
    }
    end();
}

/* ---- jumps */

static struct jump jump;
static s32 arg_p, arg_q;
static struct leaves of_f[ITEMS], of_g[ITEMS];

/* Computes (a f + b g + p m) / 2^DIGIT_WIDTH for numbers that a team of work-items shares. (a, b)
 * is a row of the matrix by which a jump (a block of division steps) changes f and g. */
static void apply(void) {
    struct team t = T;
    u32 *x[2] = {digits[item], other[item]}, lows[2];
    struct leaves leave[2];
    if (arg)
        combine_modulo(digits[item], other[item], t, jump, arg_p, arg_q, third[item], leave,
                       leave + 1);
    else
        combine(digits[item], other[item], t, jump, leave, leave + 1);
    EXCHANGE(t, x, leave, lows, 2);
    team_done(t);
    got[item] = lows[0];
    next[item][0] = lows[1];
}

static void jumps(void) {
    static const char *const names[] = {"divsteps.h:combine", "combine_modulo", "close_top"};
    /* combine_modulo needs words with three bits more than a digit */
    EACH(int, way, 0, WORD - DIGIT_WIDTH < 3 ? 1 : 3) {
        begin(names[way]); /* begin("divsteps.h:combine") begin("combine_modulo") begin("close_top")
                            */
        EACH_SIZE(s) EACH(int, a, -BASE, BASE + 1) EACH(int, b, abs(a) - BASE, BASE + 1 - abs(a)) {
            size = s, arg = way > 0;
            /* the highest digit is at most a quarter of a word's range, as 2^30 in words of 32
             * bits */
            number all = power(BASE, ALL_DIGITS - 1) * HALF_WORD, tries = BASE > 8   ? 1
                                                                          : step > 1 ? 3
                                                                                     : 300;
            EACH(number, i, 0, tries) {
                number x = (i * 0x9e3779b97f4a7c15ul + a * 31 + b) >> 7;
                jump.a = a, jump.b = b, jump.c = b, jump.d = -a;
                u32(*const number_of[])[DIGITS * ITEMS] = {digits, other, third};
                long f, g, m;
                EACH(int, n, 0, 3) {
                    x = x * 0xd1342543de82ef95ul + 1;
                    give(number_of[n], i == 0 ? all - 1 : x >> 20, BASE, 0);
                    int top = (int)(x >> 40) % (HALF_WORD / 2);
                    EACH(unsigned, k, 0, ITEMS)
                    if (LANE(k) == IN_TEAM - 1)
                        number_of[n][k][OWN - 1] = (u32)(s32)(n == 2    ? abs(top) % BASE
                                                              : x >> 63 ? -abs(top)
                                                                        : abs(top));
                }
                f = value(digits, 0), g = value(other, 0), m = value(third, 0);
                long p = way ? (long)(x >> 50) % (2 * BASE + 1) - BASE : 0,
                     q = way ? (long)(x >> 45) % (2 * BASE + 1) - BASE : 0;
                arg_p = p, arg_q = q;
                long new_f = a * f + b * g + p * m, new_g = b * f - a * g + q * m;
                items_run(ITEMS, apply);
                /* the lowest digit of each sum, which the division by 2^DIGIT_WIDTH drops */
                long cut_f = (new_f & (BASE - 1)), cut_g = (new_g & (BASE - 1));
                CHECK(value(digits, 0) * BASE + cut_f == new_f &&
                          value(other, 0) * BASE + cut_g == new_g,
                      a, b, i);
            }
        }
        end();
    }
}

int main(int argc, char **argv) {
    step = argc > 1 && strtoul(argv[1], NULL, 10) > 1 ? 257 : 1;
    exchanges();
    loads();
    signs();
    jumps();
    return 0;
}

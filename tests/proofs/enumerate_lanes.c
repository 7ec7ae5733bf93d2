/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares the functions of kernels/modular/lanes_team.h and divide_team.h with exact integers. A
 * team of work-items has a number, each work-item (lane) two of its words. The words are from SET;
 * in the first variant SET has all words.
 * variant: -DWORD=2 -DTEAM=2 -DITEMS=2 -DSET=0,1,2,3
 * variant: -DWORD=3 -DTEAM=2 -DITEMS=2 -DSET=0,1,3,7 -DROWS_FIT
 * variant: -DWORD=4 -DTEAM=2 -DITEMS=4 -DSET=0,1,15
 * variant: -DWORD=4 -DTEAM=4 -DITEMS=4 -DSET=0,15 -DROWS_FIT
 * variant: -DWORD=4 -DTEAM=1 -DITEMS=4 -DSET=0,1,7,8,15 -DROWS_FIT */
#define LOG_WORD 2 /* unused */
#define DIGIT_WIDTH 3
#define MODULAR_WORDS (2 * TEAM)
#include "tests/proofs/items.h"
#include "tests/proofs/narrow.h"

#include "tests/proofs/items_warp.h"

#include "kernels/modular/lanes.h"
#include "kernels/modular/divide.h"
#include "kernels/modular/divide_team.h"
#include "tests/proofs/enumerate.h"

static const unsigned set[] = {SET};
enum { SIZE = sizeof set / sizeof *set, TEAMS_HERE = ITEMS / TEAM, BASE = 1 << WORD };
#define TEAM_WORDS (2 * TEAM)
#define WHOLE ((number)1 << WORD * TEAM_WORDS) /* all numbers of a team are below this */

static number power_of_set(unsigned words) {
    number r = 1;
    while (words--)
        r *= SIZE;
    return r;
}

/* Sets x to number `index` of the numbers whose words are from SET. */
static void number_at(u32 *x, unsigned words, number index) {
    for (unsigned k = 0; k < words; k++, index /= SIZE)
        x[k] = (u32)set[index % SIZE];
}

static number value(const u32 *x, unsigned words) {
    number r = 0;
    for (unsigned k = words; k-- > 0;)
        r = r << WORD | (number)x[k];
    return r;
}

/* Operands and results. Work-item i has words 2 i and 2 i + 1, so the words of a team are
 * adjacent. */
static u32 of_x[2 * ITEMS], of_y[2 * ITEMS], of_r[2 * ITEMS], word_of[ITEMS], got[ITEMS],
    out_of[ITEMS];
static u32 from_lane;
#define MINE (2 * (unsigned)LOCAL_ID)
#define T team_of(LOCAL_ID, (u32)(TEAM_WORDS))

/* Gives each team of a warp a number. The first team gets number `index`, the next teams get other
 * numbers. */
static void give(u32 *x, number index) {
    for (unsigned k = 0; k < TEAMS_HERE; k++)
        number_at(x + k * TEAM_WORDS, TEAM_WORDS, (index + k * 31) % power_of_set(TEAM_WORDS));
}

/* Calls work for every step'th pair of numbers. Checks the result of each team by is_right. */
static void pairs(number step, void (*work)(void),
                  int (*is_right)(const u32 *, const u32 *, const u32 *, unsigned)) {
    number all = power_of_set(TEAM_WORDS);
    u32 x[2 * ITEMS], y[2 * ITEMS];
    for (number i = 0; i < all * all; i += step) {
        give(x, i / all), give(y, i % all);
        for (unsigned k = 0; k < 2 * ITEMS; k++)
            of_x[k] = x[k], of_y[k] = y[k];
        items_run(ITEMS, work);
        for (unsigned k = 0; k < TEAMS_HERE; k++)
            CHECK(is_right(x + k * TEAM_WORDS, y + k * TEAM_WORDS, of_x + k * TEAM_WORDS, k * TEAM),
                  i / all, i % all, k);
    }
}

/* ---- words that pass from lane to lane */

static void ask_from(void) {
    got[item] = team_from(word_of[item], from_lane);
}
static void ask_below(void) {
    got[item] = team_below(word_of[item], T);
}
static void ask_above(void) {
    got[item] = team_above(word_of[item], T);
}
static void ask_any(void) {
    got[item] = warp_any(word_of[item]);
}
static void ask_ballot(void) {
    got[item] = team_ballot(word_of[item], T);
}

#define EACH_WORDS(i)                                                                              \
    for (number i = 0, all_ = (number)1 << WORD * ITEMS; i < all_;                                 \
         i += i + 1 < all_ ? (step + 1) / 2 : 1)

static void give_words(number i) {
    EACH(unsigned, k, 0, ITEMS) word_of[k] = (u32)(i >> WORD * k);
}

static void exchanges(number step) {
    begin("lanes_team.h:team_of");
    EACH(unsigned, id, 0, 1 << WORD) {
        struct team t = team_of((u32)id, (u32)1);
        CHECK(t.rows == 1 && t.lane == id % TEAM &&
                  (t.first == id % WORD - id % TEAM || WORD % TEAM),
              id, 0, 0);
    }
    end();
    begin("lanes_team.h:team_from");
    EACH(unsigned, lane, 0, TEAM) EACH_WORDS(i) {
        give_words(i);
        from_lane = lane;
        items_run(ITEMS, ask_from);
        EACH(unsigned, k, 0, ITEMS)
        CHECK(got[k] == word_of[TEAM == 1 ? k : k / TEAM * TEAM + lane], i, lane, k);
    }
    end();
    begin("team_below");
    EACH_WORDS(i) {
        give_words(i);
        items_run(ITEMS, ask_below);
        EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == (k % TEAM ? word_of[k - 1] : (u32)0), i, k, 0);
    }
    end();
    begin("lanes_team.h:team_above");
    EACH_WORDS(i) {
        give_words(i);
        items_run(ITEMS, ask_above);
        EACH(unsigned, k, 0, ITEMS)
        CHECK(got[k] == (k % TEAM < TEAM - 1 ? word_of[k + 1] : (u32)0), i, k, 0);
    }
    end();
    begin("lanes_team.h:warp_any");
    EACH_WORDS(i) {
        give_words(i);
        items_run(ITEMS, ask_any);
        EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == (i != 0), i, k, 0);
    }
    end();
    begin("team_ballot");
    EACH_WORDS(i) {
        give_words(i);
        items_run(ITEMS, ask_ballot);
        EACH(unsigned, k, 0, ITEMS)
        EACH(unsigned, lane, 0, TEAM)
        CHECK((got[k] >> lane & 1) == (word_of[k / TEAM * TEAM + lane] != 0) &&
                  got[k] >> (TEAM - 1) <= 1,
              i, k, lane);
    }
    end();
}

/* ---- the words of one lane */

static void lanes(void) {
    const number all = (number)1 << 2 * WORD;
    begin("lanes_team.h:lane_add");
    EACH(number, a, 0, all) EACH(number, b, 0, all) {
        u32 x[2] = {a, a >> WORD}, y[2] = {b, b >> WORD};
        number carry = lane_add(x, y, T);
        CHECK(value(x, 2) + carry * all == a + b, a, b, carry);
    }
    end();
    begin("lane_increase");
    EACH(number, a, 0, all) EACH(number, b, 0, BASE) {
        u32 x[2] = {a, a >> WORD};
        number carry = lane_increase(x, b);
        CHECK(value(x, 2) + carry * all == a + b, a, b, carry);
    }
    end();
    begin("lane_subtract");
    EACH(number, a, 0, all) EACH(number, b, 0, all) {
        u32 x[2] = {a, a >> WORD}, y[2] = {b, b >> WORD}, d[2];
        number borrow = lane_subtract(d, x, y);
        CHECK(value(d, 2) + b == a + borrow * all && borrow <= 1, a, b, borrow);
    }
    end();
    begin("lane_decrease");
    EACH(number, a, 0, all) EACH(number, b, 0, 2) {
        u32 x[2] = {a, a >> WORD};
        lane_decrease(x, b);
        CHECK(value(x, 2) == (a - b) % all, a, b, 0);
    }
    end();
    begin("lane_top");
    EACH(number, a, 0, all) {
        u32 x[2] = {a, a >> WORD};
        CHECK(lane_top(x, T) == (a >> WORD > 0), a, 0, 0);
    }
    end();
    begin("divide_team.h:lane_highest");
    EACH(number, a, 0, all) {
        u32 x[2] = {a, a >> WORD};
        CHECK(lane_highest(x, T) == a, a, 0, 0);
    }
    end();
}

/* Checks lane_row: even + odd 2^WORD + top 2^(3 WORD) must grow by b times the first word of a. */
static void lane_rows(void) {
    begin("lane_row");
    EACH(number, e, 0, 1 << 2 * WORD) EACH(number, o, 0, 1 << 2 * WORD) EACH(number, a, 0, BASE) {
        EACH(number, b, 0, BASE) {
            u32 even[2] = {e, e >> WORD}, odd[2] = {o, o >> WORD}, x[2] = {a, ~(u32)a},
                top = (u32)(o % (BASE - 1));
            number t = (number)top;
            lane_row(even, odd, &top, x, (u32)b);
            CHECK(value(even, 2) + (value(odd, 2) << WORD) + ((number)top << 3 * WORD) ==
                      e + (o << WORD) + (t << 3 * WORD) + a * b,
                  e, o, a * BASE + b);
        }
    }
    end();
}

/* ---- carries between lanes */

static void resolve_carry(void) {
    got[item] = team_carry(word_of[item] & 1, word_of[item] >> 1 & 1, &out_of[item], T);
}

static void carries(void) {
    number all = 1;
    for (int i = 0; i < ITEMS; i++)
        all *= 3;
    begin("team_carry");
    EACH(number, i, 0, all) {
        number rest = i;
        for (unsigned k = 0; k < ITEMS; k++, rest /= 3)
            word_of[k] = (u32)(rest % 3);
        items_run(ITEMS, resolve_carry);
        for (unsigned k = 0; k < ITEMS; k += TEAM) {
            int carry = 0;
            EACH(unsigned, j, k, k + TEAM) {
                CHECK((int)got[j] == carry, i, j, 0);
                carry = word_of[j] == 1 || (word_of[j] == 2 && carry);
            }
            EACH(unsigned, j, k, k + TEAM) CHECK((int)out_of[j] == carry, i, j, 1);
        }
    }
    end();
}

static void subtract(void) {
    u32 d[2];
    got[item] = team_subtract(d, of_x + MINE, of_y + MINE, T);
    of_x[MINE] = d[0], of_x[MINE + 1] = d[1];
}
static int is_difference(const u32 *x, const u32 *y, const u32 *d, unsigned first) {
    EACH(unsigned, k, first, first + TEAM) if (got[k] != got[first]) return 0;
    return value(x, TEAM_WORDS) + (number)got[first] * WHOLE ==
           value(y, TEAM_WORDS) + value(d, TEAM_WORDS);
}

/* Calls team_resolve, which adds a carry from each lane (work-item) to the next lane's words. Here
 * a lane's carry is the lower of its two words of y, masked by MOST. Then the carry out of the
 * whole number fits in a word. */
#define MOST (WORD == 2 ? 1 : 3)
static void resolve(void) {
    got[item] = team_resolve(of_x + MINE, of_y[MINE] & MOST, T);
}
static int is_resolved(const u32 *x, const u32 *y, const u32 *r, unsigned first) {
    number sum = value(x, TEAM_WORDS);
    EACH(unsigned, k, 0, TEAM) sum += ((number)y[2 * k] & MOST) << 2 * WORD * (k + 1);
    EACH(unsigned, k, first, first + TEAM) if (got[k] != got[first]) return 0;
    return value(r, TEAM_WORDS) + (number)got[first] * WHOLE == sum;
}

static void add(void) {
    struct team t = T;
    got[item] = team_resolve(of_x + MINE, lane_add(of_x + MINE, of_y + MINE, t), t);
}
static int is_sum(const u32 *x, const u32 *y, const u32 *r, unsigned first) {
    return value(r, TEAM_WORDS) + (number)got[first] * WHOLE ==
           value(x, TEAM_WORDS) + value(y, TEAM_WORDS);
}

static void look_top(void) {
    got[item] = team_top(of_x + MINE, T);
}
static int is_top(const u32 *x, const u32 *y, const u32 *r, unsigned first) {
    number top = 0;
    EACH(unsigned, k, 0, TEAM_WORDS) top = x[k] ? k : top;
    EACH(unsigned, k, first, first + TEAM) if (got[k] != (u32)top) return 0;
    return 1;
}

static void look_zero(void) {
    got[item] = team_is_zero(of_x + MINE, T);
}
static int is_zero(const u32 *x, const u32 *y, const u32 *r, unsigned first) {
    EACH(unsigned, k, first, first + TEAM) if (got[k] != (value(x, TEAM_WORDS) == 0)) return 0;
    return 1;
}

static void look_nonzero(void) {
    got[item] = team_nonzero(of_x + MINE, T);
}
static int is_nonzero(const u32 *x, const u32 *y, const u32 *r, unsigned first) {
    EACH(unsigned, k, first, first + TEAM)
    EACH(unsigned, j, 0, TEAM) if ((got[k] >> j & 1) != (x[2 * j] || x[2 * j + 1])) return 0;
    return 1;
}

static void look_lowest(void) {
    got[item] = team_lowest_word(of_x + MINE, T);
}
static int is_lowest(const u32 *x, const u32 *y, const u32 *r, unsigned first) {
    EACH(unsigned, k, first, first + TEAM) if (got[k] != x[0]) return 0;
    return 1;
}

static void numbers(number step) {
    begin("lanes_team.h:team_subtract");
    pairs(step, subtract, is_difference);
    end();
    begin("lanes_team.h:team_resolve");
    pairs(step, resolve, is_resolved);
    pairs(step, add, is_sum);
    end();
    begin("lanes_team.h:team_top");
    pairs(step, look_top, is_top);
    end();
    begin("lanes_team.h:team_is_zero");
    pairs(step, look_zero, is_zero);
    end();
    begin("team_nonzero");
    pairs(step, look_nonzero, is_nonzero);
    end();
    begin("lanes_team.h:team_lowest_word");
    pairs(step, look_lowest, is_lowest);
    end();
}

/* ---- products */

/* What a lane (work-item) has in registers before and after a row of a product or a step of a
 * division. */
static struct lane_state {
    u32 even[2], odd[2], top, in[2], a[2], m[2], b;
} before[ITEMS], after[ITEMS];
static u32 row_minv;

static number minus_inverse(number m) {
    number x = 1;
    while (m * x % BASE != BASE - 1)
        x += 2;
    return x;
}

static void row(void) {
    struct lane_state *s = after + item;
    got[item] =
        team_row(s->even, s->odd, &s->top, s->in[0], s->a, &s->b, s->m, row_minv, from_lane, T);
}

/* Checks row i of a product (team_row) for lane (work-item) k, from the states `before` and
 * `after`. The words of the sum that the lane has must have increased by a times `word` plus m
 * times q. In lane i, q must have replaced the word b; other lanes must have kept b. */
static int is_row(unsigned k, number i, number word, number q) {
    const struct lane_state *s = before + k, *r = after + k;
    number sum = value(s->even, 2) + (number)s->odd[1] + ((number)s->in[0] << WORD) +
                 ((number)s->top << 2 * WORD);
    number right = sum + value(s->a, 2) * word + value(s->m, 2) * q;
    number is = value(r->even, 2) + (value(r->odd, 2) << WORD) + ((number)r->top << 3 * WORD);
    u32 above = k % TEAM < TEAM - 1 ? after[k + 1].even[0] : (u32)0;
    return is == right && (number)r->b == (k % TEAM == i ? q : (number)s->b) && got[k] == above &&
           (k % TEAM || r->even[0] == 0);
}

/* Checks team_row with all values of the registers of lane (work-item) `full`, except that carries
 * are at most 2. The registers of other lanes are pseudo-random. */
static void states(number step, unsigned full) {
    const int bits = 11 * WORD;
    for (number i = 0; i < (number)1 << bits; i += step) {
        EACH(unsigned, k, 0, ITEMS) {
            number x = k == full ? i : (i * 0x9e3779b97f4a7c15ul + k) >> 17;
            struct lane_state s = {{x, x >> WORD},
                                   {x >> 2 * WORD, x >> 3 * WORD},
                                   (u32)((x >> 4 * WORD & (BASE - 1)) % 3),
                                   {x >> 5 * WORD},
                                   {x >> 6 * WORD, x >> 7 * WORD},
                                   {x >> 8 * WORD, x >> 9 * WORD},
                                   (u32)(x >> 10 * WORD)};
            if (k % TEAM == 0)
                s.m[0] |= 1;
            before[k] = after[k] = s;
        }
        /* all teams get the same lowest word of m, because they share -1/m */
        EACH(unsigned, k, 0, ITEMS)
        if (k % TEAM == 0)
            before[k].m[0] = after[k].m[0] = before[0].m[0];
        row_minv = (u32)minus_inverse((number)before[0].m[0]);
        from_lane = (u32)(i % TEAM);
        items_run(ITEMS, row);
        EACH(unsigned, k, 0, ITEMS) {
            unsigned first = k / TEAM * TEAM;
            const struct lane_state *s = before + first;
            number word = (number)before[first + (TEAM == 1 ? 0 : i % TEAM)].b;
            number low = (number)s->even[0] + (number)s->odd[1] + (number)s->a[0] * word;
            CHECK(is_row(k, i % TEAM, word, low % BASE * (number)row_minv % BASE), i, k, full);
        }
    }
}

static u32 of_m[2 * ITEMS];

static void rows(void) {
    got[item] = team_rows(of_r + MINE, of_x + MINE, of_y + MINE, of_m + MINE, row_minv, T);
}

static void products(number step) {
    number all = power_of_set(TEAM_WORDS);
    begin("team_row");
    if (WORD == 2)
        states(step, 0), states(step, 1);
    else
        states(step << 11 * (WORD - 2), 0);
    end();
#ifdef ROWS_FIT /* the number of rows fits in a word */
    begin("lanes_team.h:team_rows");
    number every = step > 1 ? 97 * step : TEAM > 2 ? 13 : 1;
    for (number i = 0; i < all * all * all; i += every) {
        u32 b[2 * ITEMS];
        give(of_x, i / all % all), give(of_y, i % all), give(of_m, i / all / all);
        if (!(of_m[0] & 1))
            continue;
        EACH(unsigned, k, 0, ITEMS) of_m[k / TEAM * TEAM_WORDS] = of_m[0];
        EACH(unsigned, k, 0, 2 * ITEMS) b[k] = of_y[k];
        row_minv = (u32)minus_inverse((number)of_m[0]);
        items_run(ITEMS, rows);
        EACH(unsigned, k, 0, TEAMS_HERE) {
            number a = value(of_x + k * TEAM_WORDS, TEAM_WORDS),
                   m = value(of_m + k * TEAM_WORDS, TEAM_WORDS);
            unsigned __int128 whole = (unsigned __int128)(number)got[k * TEAM] * WHOLE +
                                      value(of_r + k * TEAM_WORDS, TEAM_WORDS);
            CHECK(whole * WHOLE ==
                          (unsigned __int128)a * value(b + k * TEAM_WORDS, TEAM_WORDS) +
                              (unsigned __int128)m * value(of_y + k * TEAM_WORDS, TEAM_WORDS) &&
                      whole < (unsigned __int128)a + m,
                  i, k, 0);
        }
    }
    end();
#endif
}

/* ---- division */

static void divide_row(void) {
    struct lane_state *s = after + item;
    got[item] = rest_row(s->even, s->in, s->m, row_minv, from_lane, T);
}
static void divide_take(void) {
    struct lane_state *s = after + item;
    got[item] = rest_take(s->even, s->in, T);
}

/* Checks rest_row with all values of the registers of lane (work-item) 0; those of other lanes are
 * pseudo-random. A pending carry has two words, of which the second is 0 or 1. */
static void division(number step) {
    begin("divide_team.h:rest_row");
    for (number i = 0; i < (number)1 << 8 * WORD; i += WORD == 2 ? step : step << 8 * (WORD - 2)) {
        EACH(unsigned, k, 0, ITEMS) {
            number x = k == 0 ? i : (i * 0x9e3779b97f4a7c15ul + k) >> 17;
            struct lane_state s = {{x, x >> WORD},
                                   {0, 0},
                                   0,
                                   {x >> 2 * WORD, (u32)((x >> 3 * WORD & 3) == 3)},
                                   {0, 0},
                                   {x >> 4 * WORD, x >> 5 * WORD},
                                   0};
            if (TEAM == 1 || k % TEAM == 0) /* the lowest lane gets no carry from below */
                s.in[0] = s.in[1] = 0;
            before[k] = after[k] = s;
        }
        row_minv = (u32)(i >> 6 * WORD), from_lane = (u32)(i >> 7 * WORD);
        items_run(ITEMS, divide_row);
        for (unsigned k = 0; k < ITEMS; k += TEAM) {
            /* adds up the team's lanes: lane j counts 2^(2 WORD j) times */
            __int128 right = (__int128)(number)row_minv * 0, is = 0, q = (__int128)(number)row_minv;
            EACH(unsigned, j, 0, TEAM) {
                const struct lane_state *s = before + k + j, *r = after + k + j;
                right += (__int128)((value(s->even, 2) + value(s->in, 2)) * BASE +
                                    value(s->m, 2) * (number)q + (number)from_lane)
                         << 2 * WORD * j;
                is += (__int128)(value(r->even, 2) + value(r->in, 2)) << 2 * WORD * j;
            }
            right -= q << WORD * TEAM_WORDS;
            is += (__int128)(number)got[k + TEAM - 1] << WORD * TEAM_WORDS;
            /* the highest lane returns the word above r modulo 2^WORD */
            CHECK((right - is) % ((__int128)1 << WORD * (TEAM_WORDS + 1)) == 0, i, k, 0);
        }
    }
    end();
    begin("divide_team.h:rest_take");
    for (number i = 0; i < (number)1 << 4 * WORD; i += (step + 1) / 2) {
        EACH(unsigned, k, 0, ITEMS) {
            number x = i >> k | i << k;
            struct lane_state s = {{x, x >> WORD}, {0, 0}, 0, {x >> 2 * WORD, x >> 3 * WORD}};
            before[k] = after[k] = s;
        }
        items_run(ITEMS, divide_take);
        EACH(unsigned, k, 0, ITEMS)
        CHECK(value(after[k].even, 2) + ((number)got[k] << 2 * WORD) ==
                      value(before[k].even, 2) + value(before[k].in, 2) &&
                  after[k].in[0] == 0 && after[k].in[1] == 0,
              i, k, 0);
    }
    end();
}

int main(int argc, char **argv) {
    number step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    step = step > 1 ? 101 : 1;
    exchanges(step);
    lanes();
    if (WORD < 4 || step == 1)
        lane_rows();
    carries();
    numbers(step > 1 ? 5 : 1);
    products(step);
    division(step);
    return 0;
}

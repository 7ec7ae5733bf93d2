/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks carries between the spans of a work-group and between groups (kernels/common/carry*.h),
 * and sums of spans (crt_span.h). Words have 4 bits, groups have 8 work-items in two rows. The five
 * primes of the Chinese remainder theorem are replaced by 1, 3, 4, 5 and 7. */
#define WORD 4
#define LOG_WORD 2
#define DIGIT_WIDTH 3
#define SPAN 4
#define CARRY_THREADS 8
#include "tests/proofs/items.h"
#include "tests/proofs/narrow.h"

#define FENCE_DEVICE() ((void)0)
#define ATOMIC_INCREMENT(pointer) ((*(pointer))++)
#define PRIMES_H
#define PRIMES 5
#define P0 ((u32)1)
#define P1 ((u32)3)
#define P2 ((u32)4)
#define P3 ((u32)5)
#define P4 ((u32)7)
#define GARNER_0_1 ((u32)1)
#define GARNER_0_2 ((u32)1)
#define GARNER_1_2 ((u32)3)
#define GARNER_0_3 ((u32)1)
#define GARNER_1_3 ((u32)2)
#define GARNER_2_3 ((u32)4)
#define GARNER_0_4 ((u32)1)
#define GARNER_1_4 ((u32)5)
#define GARNER_2_4 ((u32)2)
#define GARNER_3_4 ((u32)3)
#include "kernels/common/carry.h"
#include "kernels/common/carry_below.h"
#include "kernels/common/carry_resolve.h"
#include "kernels/common/crt_span.h"
/* Replaces the function of kernels/batch/batch_resolve.h. Loads {src, words}, extended with zeros,
 * to {x, SPAN}. */
static void batch_load(u32 *x, const u32 *src, u32 words, int aligned) {
    span_load(x, src, words, aligned, 0);
}
struct resolve {
    u32 *unused;
};
#include "kernels/modular/terms.h"
#include "tests/proofs/enumerate.h"

enum { ITEMS = CARRY_THREADS, MOST = 256 };
static number step;
static u32 flags[CARRY_THREADS + 4], rows[2 * CARRY_ROWS], given[64], got[ITEMS], other[ITEMS],
    first, bottom;

/* ---- copies */

static void copies(void) {
    begin("span_load");
    EACH(number, a, 0, 1 << 16) EACH(number, words, 0, 6) EACH(number, how, 0, 4) {
        u32 src[4] = {a, a >> 4, a >> 8, a >> 12}, x[4], beyond = how & 2 ? 15 : 5;
        span_load(x, src, words, how & 1, beyond);
        EACH(number, i, 0, 4) CHECK(x[i] == (i < words ? src[i] : beyond), a, words, how);
    }
    end();
    begin("span_store");
    EACH(number, a, 0, 1 << 16) EACH(number, words, 0, 6) {
        u32 x[4] = {a, a >> 4, a >> 8, a >> 12}, r[5] = {9, 9, 9, 9, 9};
        span_store(r, words, x);
        EACH(number, i, 0, 5) CHECK(r[i] == (i < words && i < 4 ? x[i] : (u32)9), a, words, i);
    }
    end();
    begin("span_increment_near");
    EACH(number, a, 0, 1 << 16) EACH(number, words, 1, 5) {
        u32 r[4] = {a, a >> 4, a >> 8, a >> 12};
        number below = (number)1 << 4 * words, x = a % below;
        number carry = words < 4 ? 0 : x + 1 == below; /* fewer than SPAN words have no carry out */
        number out = span_increment_near(r, words), is = 0;
        EACH(number, i, 0, 4) is |= (number)r[i] << 4 * i;
        CHECK(is == (a & ~(below - 1)) + (x + 1) % below && (words < 4 || out == carry), a, words,
              out);
    }
    end();
}

/* ---- carries in a group */

static void collect_rows(void) {
    carry_rows(given[item], flags, rows);
}
static void find_carry(void) {
    got[item] = group_carry(given[item], first, flags, rows, &other[item]);
}
static void find_carry_in(void) {
    got[item] = carry_in_group(rows, first, bottom, &other[item]);
}

/* Checks the carries that the work-items have found, if `carry` comes into the group. */
static void check_carries(number i, int carry) {
    int all_pass = 1;
    EACH(unsigned, k, 0, ITEMS) {
        CHECK((int)got[k] == carry, i, first, k);
        carry = given[k] == 1 || (given[k] == 2 && carry);
        all_pass &= given[k] == 2 || k < first;
    }
    EACH(unsigned, k, 0, ITEMS) CHECK(other[k] == (carry ? 1 : all_pass ? 2 : 0), i, first, k);
}

/* Sets the flag of each work-item, 0, 1 or 2, to a digit of i in base 3. */
static void give_flags(number i) {
    for (unsigned k = 0; k < ITEMS; k++, i /= 3)
        given[k] = (u32)(i % 3);
}

static void carries(void) {
    begin("carry_rows");
    EACH(number, i, 0, 6561) {
        give_flags(i);
        items_run(ITEMS, collect_rows);
        EACH(unsigned, k, 0, ITEMS)
        CHECK((rows[k / 4 * 2] >> k % 4 & 1) == (given[k] == 1) &&
                  (rows[k / 4 * 2 + 1] >> k % 4 & 1) == (given[k] == 2),
              i, k, 0);
    }
    end();
    begin("group_carry");
    for (first = 0; first < 4; first++)
        for (number i = 0; i < 6561; i += step) {
            give_flags(i);
            EACH(unsigned, k, 0, first) given[k] = 0;
            items_run(ITEMS, find_carry);
            check_carries(i, 0);
        }
    end();
    begin("carry_in_group");
    for (first = 0; first < 4; first++)
        for (number i = 0; i < 6561; i += step) {
            give_flags(i);
            EACH(unsigned, k, 0, first) given[k] = 0;
            items_run(ITEMS, collect_rows);
            for (bottom = 0; bottom < (first ? 1 : 2); bottom++) {
                items_run(ITEMS, find_carry_in);
                check_carries(i, bottom);
            }
        }
    first = 0;
    end();
}

/* ---- a whole sum in a group */

static u32 of_x[ITEMS * SPAN], r[MOST], group_flags[16], control;
static u64 words;
static number chunk;

/* Sets x to a span of a sum whose carries are not resolved yet. kind 0: all ones; 1: ones above a
 * zero word; 2: zeros; 3: zeros, with a carry out of the span. Returns the span's flag. */
static u32 span_of_kind(u32 *x, number kind) {
    EACH(unsigned, i, 0, SPAN) x[i] = kind == 0 || (kind == 1 && i > 0) ? 15 : 0;
    return kind == 0 ? CARRY_PROPAGATE : kind == 3 ? CARRY_GENERATE : (u32)0;
}

static void finish(void) {
    u32 x[SPAN];
    EACH(unsigned, i, 0, SPAN) x[i] = of_x[item * SPAN + i];
    u64 at = SPAN * (item - first);
    span_finish(r + (item < first ? 0 : at), item < first || words < at ? 0 : words - at, x,
                given[item], first, flags, rows, group_flags);
}

static void finishes(void) {
    begin("span_finish");
    the_group = 3;
    for (first = 0; first < 2; first++)
        for (number i = 0; i < 65536; i += step) {
            unsigned __int128 sum = 0;
            int all_pass = 1;
            words = SPAN * (ITEMS - first) - i % 9;
            EACH(unsigned, k, 0, ITEMS) given[k] = span_of_kind(of_x + k * SPAN, i >> 2 * k & 3);
            EACH(unsigned, k, first, ITEMS) {
                EACH(unsigned, j, 0, SPAN)
                sum += (unsigned __int128)(number)of_x[k * SPAN + j]
                       << 4 * (SPAN * (k - first) + j);
                if (k + 1 < ITEMS)
                    sum += (unsigned __int128)(given[k] == CARRY_GENERATE)
                           << 4 * SPAN * (k + 1 - first);
                all_pass &= given[k] == CARRY_PROPAGATE;
            }
            EACH(unsigned, k, 0, 64) r[k] = 9;
            items_run(ITEMS, finish);
            EACH(unsigned, k, 0, 40)
            CHECK(r[k] == (k < (number)words ? (u32)(sum >> 4 * k) : (u32)9), i, first, k + 100);
            int carry = 0;
            EACH(unsigned, k, first, ITEMS) carry = given[k] == 1 || (given[k] == 2 && carry);
            CHECK(group_flags[3] == (carry ? 1 : all_pass ? 2 : 0), i, first, words);
        }
    first = 0, the_group = 0;
    end();
}

/* ---- carries between groups */

static void find_first(void) {
    got[item] = first_stop(flags, given[item]);
}
static void find_first_in_rows(void) {
    got[item] = first_in_rows(given[item], flags, rows);
}
/* below_memory[0] is before the flags and must not be read: it would count as a carry. */
static u32 below_memory[17] = {CARRY_GENERATE}, *const below_flags = below_memory + 1, below_chunk;
static void find_below(void) {
    got[item] = carry_from_below(below_flags, below_chunk, flags);
}

static void stops(void) {
    begin("first_stop");
    EACH(number, i, 0, 256) {
        EACH(unsigned, k, 0, ITEMS) given[k] = (u32)(i >> k & 1);
        items_run(ITEMS, find_first);
        EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == (i ? __builtin_ctzl(i) : ITEMS), i, k, 0);
    }
    end();
    begin("first_in_rows");
    EACH(number, i, 0, 256) {
        EACH(unsigned, k, 0, ITEMS) given[k] = (u32)(i >> k & 1);
        items_run(ITEMS, find_first_in_rows);
        EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == (i ? __builtin_ctzl(i) : ITEMS), i, k, 0);
    }
    end();
    begin("carry_from_below");
    EACH(unsigned, chunks, 0, 15) {
        number all = 1;
        EACH(unsigned, k, 0, chunks) all *= 3;
        for (number i = 0; i < all; i += chunks < 7    ? 1
                                         : chunks < 10 ? step
                                         : chunks < 13 ? 11 * step
                                                       : 97 * step) {
            int carry = 0;
            number rest = i;
            for (unsigned k = 0; k < chunks; k++, rest /= 3) {
                below_flags[k] = (u32)(rest % 3);
                carry = rest % 3 == 1 || (rest % 3 == 2 && carry);
            }
            below_chunk = (u32)chunks;
            items_run(ITEMS, find_below);
            EACH(unsigned, k, 0, ITEMS) CHECK((int)got[k] == carry, i, chunks, k);
        }
        /* all chunks but `stop` propagate the carry */
        EACH(unsigned, stop, 0, chunks) EACH(unsigned, flag, 0, 2) {
            EACH(unsigned, k, 0, chunks) below_flags[k] = k == stop ? flag : 2;
            below_chunk = (u32)chunks;
            items_run(ITEMS, find_below);
            EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == flag, stop, chunks, k);
        }
    }
    end();
}

static void increment(void) {
    chunk_increment_far(r, 0, words, flags, rows);
}

static void increments(void) {
    begin("chunk_increment_far");
    EACH(number, length, 1, 80) EACH(number, stop, 0, 81) {
        EACH(unsigned, k, 0, 100) r[k] = k < stop ? 15 : k == stop ? 6 : k % 16;
        words = length;
        items_run(ITEMS, increment);
        EACH(number, k, 0, 100) {
            number was = k < stop ? 15 : k == stop ? 6 : k % 16;
            CHECK(r[k] == (u32)(k < length && k <= stop ? was + 1 : was), length, stop, k);
        }
    }
    end();
}

static u32 is_counted;
static void count_last(void) {
    got[item] = comes_last(&control, is_counted, flags);
}

static void counts(void) {
    begin("comes_last");
    for (the_groups = 1; the_groups < 15; the_groups++)
        EACH(unsigned, launch, 0, 2) {
            for (the_group = 0; the_group < the_groups; the_group++) {
                is_counted = 1;
                items_run(ITEMS, count_last);
                EACH(unsigned, k, 0, ITEMS)
                CHECK(got[k] == (the_group + 1 == the_groups), the_groups, the_group, k);
                is_counted = 0;
                items_run(ITEMS, count_last);
                EACH(unsigned, k, 0, ITEMS) CHECK(got[k] == 0, the_groups, the_group, k);
            }
            CHECK(control == 0, the_groups, launch, 0);
        }
    the_groups = 1, the_group = 0;
    end();
}

static u32 resolves;
static void resolve(void) {
    carry_resolve(r, words, (u32)chunk, group_flags, &control, resolves, flags, rows);
}

/* Checks carry_resolve on a number of `count` chunks, of which the last has `last` words. Each
 * chunk has one of chunk + 2 kinds. i encodes the kinds, as its digits to this base:
 * - less than `chunk`: this many words of ones, then a word that stops a carry
 * - chunk: all ones
 * - chunk + 1: zeros, with a carry out of the chunk */
static void resolve_kinds(number i, number count, number last) {
    static u32 right[MOST];
    number kinds = chunk + 2, carry = 0;
    words = (count - 1) * chunk + last;
    for (number k = 0; k < count; k++, i /= kinds) {
        number kind = i % kinds, own = k + 1 < count ? chunk : last;
        int is_all = kind >= own && kind <= chunk;
        group_flags[k] = is_all ? CARRY_PROPAGATE : kind > chunk ? CARRY_GENERATE : (u32)0;
        for (number j = 0; j < own; j++) {
            u32 word = kind > chunk ? 0 : j < kind ? 15 : j == kind ? 3 : j % 16;
            r[k * chunk + j] = word;
            right[k * chunk + j] = word + (carry && (kind > chunk ? j == 0 : j <= kind));
        }
        carry = kind > chunk || (is_all && carry);
    }
    r[words] = right[words] = 7;
    the_groups = (unsigned)count, group_flags[count] = 9, resolves = 1;
    for (the_group = 0; the_group < the_groups; the_group++)
        items_run(ITEMS, resolve);
    EACH(number, k, 0, words + 1) CHECK(r[k] == right[k], chunk, count, k);
    CHECK(group_flags[count] == carry && control == 0, chunk, count, last);
    the_groups = 1, the_group = 0;
}

static void resolutions(void) {
    begin("carry_resolve");
    for (number count = 1; count <= 7; count++)
        for (chunk = 4; chunk < 16; chunk += 4) {
            number all = 1;
            EACH(number, k, 0, count) all *= chunk + 2;
            number each = all < 2000 ? 1 : all / 2000 | 1;
            for (number i = 0; i < all; i += each * (step > 1 ? 7 : 1))
                resolve_kinds(i, count, chunk), resolve_kinds(i, count, 1 + i % chunk);
        }
    /* nothing may change if `resolves` is 0 */
    r[0] = 15, group_flags[0] = 1, group_flags[1] = 9, words = 8, chunk = 4, resolves = 0;
    items_run(ITEMS, resolve);
    CHECK(r[0] == 15 && group_flags[1] == 9, 0, 0, 0);
    end();
}

/* ---- sums of spans */

static void combine(void) {
    static const number modulus[] = {1, 3, 4, 5, 7};
    begin("crt_combine");
    EACH(number, x, 0, 420) {
        u32 w[5], residues[5];
        EACH(int, i, 0, 5) residues[i] = x % modulus[i];
        crt_combine(w, residues);
        number is = 0;
        EACH(int, i, 0, 5) is |= (number)w[i] << 4 * i;
        CHECK(is == x, x, is, 0);
    }
    end();
    begin("span_of_residues");
    EACH(number, x, 0, 420) EACH(number, y, 0, 420) EACH(number, from, 0, 2) {
        u32 acc[ACC_WORDS], residues[5][DIGITS];
        number right = x + (y << 8) + 4660 * from;
        EACH(int, k, 0, ACC_WORDS) acc[k] = (u32)(from * 4660 >> 4 * k);
        EACH(int, i, 0, 5) residues[i][0] = x % modulus[i], residues[i][1] = y % modulus[i];
        span_of_residues(acc, residues);
        number is = 0;
        EACH(int, k, 0, ACC_WORDS) is |= (number)acc[k] << 4 * k;
        CHECK(is == right, x, y, is);
    }
    end();
}

static u32 accs[ITEMS][ACC_WORDS], out[OUT_SHARE_WORDS];
static void add_below(void) {
    got[item] = span_add_below(accs[item], out);
}

static void sums(void) {
    begin("span_add_below");
    for (number i = 0; i < 1 << 20; i += 16 * step) {
        number spans[ITEMS], above[ITEMS];
        EACH(unsigned, k, 0, ITEMS) {
            number x = k < 2 ? i >> 10 * k : i * 0x9e3779b97f4a7c15ul >> (20 + k);
            spans[k] = x & 1 ? 65535 - (x >> 1 & 3) : x >> 1 & 65535, above[k] = x >> 3 & 4095;
            EACH(int, j, 0, ACC_WORDS)
            accs[k][j] = j < SPAN ? spans[k] >> 4 * j : above[k] >> 4 * (j - SPAN);
        }
        items_run(ITEMS, add_below);
        EACH(unsigned, k, 0, ITEMS) {
            number sum = spans[k] + (k ? above[k - 1] : 0), is = 0;
            EACH(int, j, 0, SPAN) is |= (number)accs[k][j] << 4 * j;
            CHECK(is == sum % 65536 && got[k] == (sum > 65535    ? 1
                                                  : sum == 65535 ? 2
                                                                 : 0),
                  i, k, sum);
        }
    }
    end();
}

/* ---- terms of sums */

static void terms(void) {
    static const u32 ends[] = {0, 1, 15};
    begin("terms.h:place_of");
    for (the_group = 0; the_group < 3; the_group++)
        for (item = 0; item < 16; item++)
            EACH(number, count, 0, 20)
    EACH(number, spans, 1, 9) EACH(number, each, 1, 9) EACH(number, tiles, 1, 4) {
        struct place q = place_of(count, spans, each, tiles);
        number n = tiles > 1 ? 0 : item / spans;
        CHECK(q.number == n && q.index == the_group * each + n &&
                  q.is_there == (n < each && the_group * each + n < count) && q.spans == spans &&
                  q.tiles == tiles,
              item, count, spans);
    }
    item = the_group = 0;
    end();
    begin("add_term");
    EACH(number, i, 0, 81 * 81)
    EACH(number, times, 0, 16)
    EACH(number, at, 0, 4) EACH(int, flip, 0, 2) EACH(u32, is_there, 0, 2) {
        u32 x[16], sum[4];
        number a = 0, s = 0, rest = i;
        for (int k = 0; k < 4; k++, rest /= 9)
            x[k] = ends[rest % 3], x[4 + k] = 5, sum[k] = ends[rest / 3 % 3],
            s |= (number)sum[k] << 4 * k;
        /* x points to the term's words 4 to 7; all other words of the term are zeros */
        struct term t = {x, 4, 8, (u32)times, flip ? (u32) ~(u32)0 : (u32)0};
        if (at == 1 && is_there)
            EACH(int, k, 0, 4) a |= (number)x[k] << 4 * k;
        a = flip ? 65535 - a : a;
        number carry = add_term(sum, t, (u32)(4 * at), is_there), is = carry << 16;
        EACH(int, k, 0, 4) is |= (number)sum[k] << 4 * k;
        CHECK(is == s + (number)times * (times ? a : 0), i, times, at);
    }
    end();
}

int main(int argc, char **argv) {
    step = argc > 1 && strtoul(argv[1], NULL, 10) > 1 ? 7 : 1;
    copies();
    carries();
    finishes();
    stops();
    increments();
    counts();
    resolutions();
    combine();
    sums();
    terms();
    return 0;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of the kernels for radix conversion (kernels/radix/). Compares texts, leaves
 * (numbers of a group of digits) and levels of the tree of leaves with the host's results. */
#include <string.h>

#include "kernels/radix/text.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

/* Sizes of the test. A leaf is a group of 31 digits, in chunks of 4, 9, 9 and 9 digits, and has
 * LEAF_WORDS words. A fraction has one word more. */
enum {
    BASE = 10,
    PER = 9,
    HEAD = 4,
    CHUNKS = 4,
    DIGITS = HEAD + (CHUNKS - 1) * PER,
    LEAVES = 300,
    N = LEAVES * DIGITS - 7, /* of the text */
    LEAF_WORDS = 4,
    FRACTION = LEAF_WORDS + 1,
    /* Offsets in the result's buffer, in words. */
    TEXT_AT = 0,
    INFO_AT = 4000,
    FLAGS_AT = 5000,
    WRONG_AT = 5100,
    SUM_AT = 5200,
    PARTS_AT = 5300,
    WORDS = 6000
};

struct radix_test {
    struct known_answer *t;
    /* values of the digits; the first ones are zeros, before the text's first digit */
    unsigned char digits[LEAVES * DIGITS];
    uint32_t words[2000];
};

/* Creates digits with long runs of 0 and of the highest digit, 9. */
static void fill(struct radix_test *r) {
    for (size_t i = 0; i < sizeof r->digits; i++) {
        unsigned run = (unsigned)(i / 80 % 4);
        uint32_t word = r->t->host[0][i % r->t->n];
        r->digits[i] = (unsigned char)(i < sizeof r->digits - N ? 0
                                       : run == 1               ? 0
                                       : run == 3               ? BASE - 1
                                                                : word % BASE);
    }
}

/* Writes the digits, beginning with digit number `from`, to `text` as characters. */
static void text_of(const struct radix_test *r, unsigned char *text, size_t from) {
    for (size_t i = from; i < sizeof r->digits; i++)
        text[i - from] = (unsigned char)('0' + r->digits[i]);
}

/* Computes on the host the value of leaf `leaf`, a group of DIGITS digits. */
static void leaf_of(const struct radix_test *r, uint32_t *words, size_t leaf) {
    memset(words, 0, LEAF_WORDS * sizeof *words);
    for (size_t k = 0; k < DIGITS; k++) {
        uint64_t carry = r->digits[(LEAVES - 1 - leaf) * DIGITS + k];
        for (int i = 0; i < LEAF_WORDS; i++, carry >>= 32)
            words[i] = (uint32_t)(carry += (uint64_t)words[i] * BASE);
    }
}

/* Tests two steps of reading a text: characters to chunks (few digits in a word), and chunks to
 * leaves (long groups of digits). */
static void verify_set(struct radix_test *r) {
    struct known_answer *t = r->t;
    unsigned char text[N + 8] = {0};
    uint64_t tail = 0, whole = N / 8 * 8;
    text_of(r, text, sizeof r->digits - N);
    memcpy(&tail, text + whole, N - whole);
    for (size_t leaf = 0; leaf < LEAVES; leaf++)
        leaf_of(r, r->words + leaf * LEAF_WORDS, leaf);
    known_answer_up(t, t->x[0].mem, 0, text, whole / 4);
    KNOWN_ANSWER(t,
                 launch_text_chunks(t->s, launch_row(ceil_div(LEAVES * CHUNKS, TEXT_THREADS)),
                                    t->x[1].mem, 0, t->x[0].mem, 0, N, whole, tail, TEXT_SMALL,
                                    LEAVES, BASE, DIGITS, PER, HEAD, CHUNKS, t->r.mem, WRONG_AT));
    KNOWN_ANSWER(t, launch_leaf_set(t->s, launch_row(ceil_div(LEAVES, RADIX_THREADS)), t->r.mem, 0,
                                    LEAF_WORDS, t->x[1].mem, 0, LEAVES, BASE, PER, CHUNKS));
    known_answer_compare(t, t->r.mem, 0, r->words, LEAVES * LEAF_WORDS, "digits to leaves");
}

/* Computes on the host a fraction for each leaf (group of digits), truncated to FRACTION words. Its
 * digits are those of the leaf and of all following leaves. Subtracts a few units, because the
 * device's fractions may be too small. */
static void fractions(struct radix_test *r) {
    uint32_t x[FRACTION] = {0};
    for (size_t leaf = 0; leaf < LEAVES; leaf++) {
        for (size_t k = DIGITS; k-- > 0;) {
            uint64_t rest = r->digits[(LEAVES - 1 - leaf) * DIGITS + k];
            for (int i = FRACTION; i-- > 0;) {
                rest = rest << 32 | x[i];
                x[i] = (uint32_t)(rest / BASE);
                rest %= BASE;
            }
        }
        memcpy(r->words + leaf * FRACTION, x, sizeof x);
        if (r->words[leaf * FRACTION] >= leaf % 50)
            r->words[leaf * FRACTION] -= (uint32_t)(leaf % 50);
    }
}

static void launch_get(struct known_answer *t) {
    const struct launch_groups groups = launch_row(ceil_div(LEAVES, RADIX_THREADS));
    const gpu_mem fraction = t->x[0].mem, v = t->x[1].mem, r = t->r.mem;
    KNOWN_ANSWER(t, launch_leaf_get(t->s, groups, v, 0, r, INFO_AT, fraction, 0, FRACTION, LEAVES,
                                    BASE, PER, HEAD, CHUNKS));
    KNOWN_ANSWER(t, launch_leaf_chain(t->s, groups, r, FLAGS_AT, r, INFO_AT, LEAVES));
    KNOWN_ANSWER(t, launch_leaf_resolve(t->s, groups, v, 0, r, INFO_AT, r, FLAGS_AT, LEAVES, BASE,
                                        PER, HEAD, CHUNKS));
    KNOWN_ANSWER(t,
                 launch_text_digits(t->s, launch_row(ceil_div(ceil_div(N, 4), TEXT_THREADS)), r,
                                    TEXT_AT, N, v, 0, TEXT_LARGE, BASE, DIGITS, PER, HEAD, CHUNKS));
}

/* Tests the conversion of fractions to characters. */
static void verify_get(struct radix_test *r) {
    struct known_answer *t = r->t;
    unsigned char right[N];
    fractions(r);
    text_of(r, right, sizeof r->digits - N);
    known_answer_up(t, t->x[0].mem, 0, r->words, sizeof r->words / sizeof *r->words);
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->x[1].mem, 0, WORDS * sizeof(uint32_t))); /* chunks */
    launch_get(t);
    known_answer_down(t, t->got, t->r.mem, TEXT_AT, ceil_div(N, 4));
    known_answer_expect(t, memcmp(t->got, right, N) == 0, "fractions to digits", FRACTION);
}

/* Tests the kernel that computes a text's residue, with the text of verify_get. */
static void verify_residue(struct radix_test *r) {
    struct known_answer *t = r->t;
    const struct check_modulus q = t->s->modulus;
    const uint64_t item = TEXT_RESIDUE_CHUNKS * PER, groups = ceil_div(N, item * TEXT_THREADS);
    const uint64_t base = modulus_mul(q.one, BASE, q), at = tables_residue_at();
    uint64_t right = 0;
    gpu_mem tables = {0};
    for (size_t i = 0; i < sizeof r->digits; i++)
        right = (modulus_mul(right, BASE, q) + r->digits[i]) % q.m;
    KNOWN_ANSWER(t, tables_get(t->s, &tables));
    KNOWN_ANSWER(t, launch_text_residue(t->s, launch_row(groups), t->r.mem, PARTS_AT / 2, t->r.mem,
                                        TEXT_AT, N, N, 0, TEXT_LARGE | TEXT_EXACT, BASE, PER,
                                        modulus_power(base, PER, q), modulus_power(base, item, q),
                                        tables, at, t->r.mem, WRONG_AT));
    KNOWN_ANSWER(t, launch_text_sum(t->s, launch_row(1), t->r.mem, SUM_AT / 2, t->r.mem,
                                    PARTS_AT / 2, groups, tables, at));
    known_answer_compare(t, t->r.mem, SUM_AT, (uint32_t *)&right, 2, "residue of a text");
}

/* Tests radix_spread, which copies pairs of numbers into wider slots, and radix_split, which copies
 * halves of slots back to narrower ones. */
static void verify_levels(struct radix_test *r) {
    enum { SLOTS = 61, NARROW = 7, WIDE = 13, SIZE = SLOTS * WIDE + 3 };
    struct known_answer *t = r->t;
    const gpu_mem u = t->x[0].mem, v = t->x[1].mem;
    const struct launch_groups groups = launch_row(ceil_div(SIZE, TEXT_THREADS));
    const uint32_t *host = t->host[0];
    uint32_t wide[SIZE], *narrow = r->words;
    for (size_t i = 0; i < SIZE; i++) {
        size_t from = i / WIDE * 2 * NARROW + NARROW + i % WIDE;
        wide[i] = i % WIDE < NARROW && i < SLOTS * WIDE ? host[from] : 0;
    }
    for (size_t i = 0; i < SIZE; i++) {
        size_t slot = i / NARROW, from = slot / 2 * WIDE + WIDE - NARROW + i % NARROW;
        narrow[i] = slot >= 2 * (SLOTS / 2) ? 0 : slot % 2 ? host[from] : wide[from];
    }
    known_answer_up(t, u, 0, host, WORDS);
    KNOWN_ANSWER(t, launch_radix_spread(t->s, groups, v, 0, SIZE, v, SIZE + 1, SIZE, u, 0, SLOTS,
                                        NARROW, WIDE));
    known_answer_compare(t, v, 0, wide, SIZE, "numbers in pairs");
    KNOWN_ANSWER(t, launch_radix_split(t->s, groups, t->r.mem, 0, SIZE, u, 0, v, 0, SLOTS / 2, WIDE,
                                       NARROW));
    known_answer_compare(t, t->r.mem, 0, narrow, SIZE, "halves of slots");
}

static void verify(struct known_answer *t) {
    struct radix_test r = {.t = t};
    fill(&r);
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->r.mem, 0, WORDS * sizeof(uint32_t)));
    verify_set(&r);
    verify_get(&r);
    verify_residue(&r);
    verify_levels(&r);
}

enum gpu_status selftest_radix(struct context *s) {
    return known_answer_ensure(s, KNOWN_RADIX, WORDS, verify, NULL);
}

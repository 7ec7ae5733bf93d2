/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of kernels/radix/: texts, leaves and levels beside what the host makes of them. */
#include <stdlib.h>
#include <string.h>

#include "kernels/radix/text.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

/* Leaves of 31 digits in chunks of 4, 9, 9 and 9: words enough for leaves, and a guard. */
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
    /* Words of the result's buffer. */
    TEXT_AT = 0,
    INFO_AT = 4000,
    FLAGS_AT = 5000,
    WRONG_AT = 5100,
    SUM_AT = 5200,
    PARTS_AT = 5300,
    WORDS = 6000
};

struct radix_test {
    struct known_answer t;
    unsigned char digits[LEAVES * DIGITS]; /* values, the text's behind zeros */
    uint32_t words[2000];
};

/* Digits with long runs of 0 and of the highest. */
static void fill(struct radix_test *r) {
    for (size_t i = 0; i < sizeof r->digits; i++) {
        unsigned run = (unsigned)(i / 80 % 4);
        uint32_t word = r->t.host[i % r->t.n];
        r->digits[i] = (unsigned char)(i < sizeof r->digits - N ? 0
                                       : run == 1               ? 0
                                       : run == 3               ? BASE - 1
                                                                : word % BASE);
    }
}

static enum gpu_status upload(struct radix_test *r, gpu_mem to, const void *from, size_t bytes) {
    return transfer_up(r->t.s->transfer, &r->t.s->queue, to, 0, from, bytes);
}

static enum gpu_status download(struct radix_test *r, void *to, gpu_mem from, size_t words,
                                size_t count) {
    return transfer_down(r->t.s->transfer, &r->t.s->queue, to, from, words * sizeof(uint32_t),
                         count * sizeof(uint32_t));
}

/* The text as characters from digit `from` on. */
static void text_of(const struct radix_test *r, unsigned char *text, size_t from) {
    for (size_t i = from; i < sizeof r->digits; i++)
        text[i - from] = (unsigned char)('0' + r->digits[i]);
}

/* Digits to chunks (SLOT_V) and leaves, beside those that the host computes. */
static enum gpu_status verify_set(struct radix_test *r) {
    struct known_answer *t = &r->t;
    unsigned char text[N + 8] = {0};
    uint64_t tail = 0, whole = N / 8 * 8;
    text_of(r, text, sizeof r->digits - N);
    memcpy(&tail, text + whole, N - whole);
    enum gpu_status status = upload(r, t->u.mem, text, whole);
    if (status == GPU_OK)
        status = launch_text_chunks(t->s, launch_row(ceil_div(LEAVES * CHUNKS, TEXT_THREADS)),
                                    t->v.mem, 0, t->u.mem, 0, N, whole, tail, TEXT_SMALL, LEAVES,
                                    BASE, DIGITS, PER, HEAD, CHUNKS, t->r.mem, WRONG_AT);
    if (status == GPU_OK)
        status = launch_leaf_set(t->s, launch_row(ceil_div(LEAVES, RADIX_THREADS)), t->r.mem, 0,
                                 LEAF_WORDS, t->v.mem, 0, LEAVES, BASE, PER, CHUNKS);
    if (status == GPU_OK)
        status = download(r, r->words, t->r.mem, 0, LEAVES * LEAF_WORDS);
    for (size_t leaf = 0; leaf < LEAVES && status == GPU_OK; leaf++) {
        uint64_t a[LEAF_WORDS] = {0};
        for (size_t k = 0; k < DIGITS; k++) {
            uint64_t carry = r->digits[(LEAVES - 1 - leaf) * DIGITS + k];
            for (int i = 0; i < LEAF_WORDS; i++, carry >>= 32) {
                carry += a[i] * BASE;
                a[i] = (uint32_t)carry;
            }
        }
        for (int i = 0; i < LEAF_WORDS; i++)
            if (r->words[leaf * LEAF_WORDS + (size_t)i] != a[i])
                return known_answer_wrong(t->s, "digits to leaves", LEAF_WORDS);
    }
    return status;
}

/* Each leaf's fraction, cut off: what it and all digits behind it are, less some units. */
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

static enum gpu_status launch_get(struct context *s, struct number v, gpu_mem fraction, gpu_mem r) {
    const struct launch_groups groups = launch_row(ceil_div(LEAVES, RADIX_THREADS));
    enum gpu_status status = launch_leaf_get(s, groups, v.mem, 0, r, INFO_AT, fraction, 0, FRACTION,
                                             LEAVES, BASE, PER, HEAD, CHUNKS);
    if (status == GPU_OK)
        status = launch_leaf_chain(s, groups, r, FLAGS_AT, r, INFO_AT, LEAVES);
    if (status == GPU_OK)
        status = launch_leaf_settle(s, groups, v.mem, 0, r, INFO_AT, r, FLAGS_AT, LEAVES, BASE, PER,
                                    HEAD, CHUNKS);
    if (status == GPU_OK)
        status =
            launch_text_digits(s, launch_row(ceil_div(ceil_div(N, 4), TEXT_THREADS)), r, TEXT_AT, N,
                               v.mem, 0, TEXT_LARGE, BASE, DIGITS, PER, HEAD, CHUNKS);
    return status;
}

/* Fractions to digits. */
static enum gpu_status verify_get(struct radix_test *r) {
    struct known_answer *t = &r->t;
    unsigned char text[N + 8], right[N];
    fractions(r);
    text_of(r, right, sizeof r->digits - N);
    enum gpu_status status = upload(r, t->u.mem, r->words, sizeof r->words);
    if (status == GPU_OK)
        status = launch_get(t->s, t->v, t->u.mem, t->r.mem);
    if (status == GPU_OK)
        status = download(r, text, t->r.mem, TEXT_AT, ceil_div(N, 4));
    return status == GPU_OK && memcmp(text, right, N) != 0
               ? known_answer_wrong(t->s, "fractions to digits", FRACTION)
               : status;
}

/* The residue of the text that verify_get has left. */
static enum gpu_status verify_residue(struct radix_test *r) {
    struct known_answer *t = &r->t;
    struct context *s = t->s;
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    const struct check_modulus q = s->modulus;
    const uint64_t item = TEXT_RESIDUE_CHUNKS * PER, groups = ceil_div(N, item * TEXT_THREADS);
    const uint64_t base = modulus_mul(q.one, BASE, q);
    uint64_t right = 0, residue;
    for (size_t i = 0; i < sizeof r->digits; i++)
        right = (modulus_mul(right, BASE, q) + r->digits[i]) % q.m;
    if (status == GPU_OK)
        status = launch_text_residue(s, launch_row(groups), t->r.mem, PARTS_AT / 2, t->r.mem,
                                     TEXT_AT, N, N, 0, TEXT_LARGE | TEXT_EXACT, BASE, PER,
                                     modulus_power(base, PER, q), modulus_power(base, item, q),
                                     tables, tables_residue_at(), t->r.mem, WRONG_AT);
    if (status == GPU_OK)
        status = launch_text_sum(s, launch_row(1), t->r.mem, SUM_AT / 2, t->r.mem, PARTS_AT / 2,
                                 groups, tables, tables_residue_at());
    if (status == GPU_OK)
        status = download(r, &residue, t->r.mem, SUM_AT, 2);
    return status == GPU_OK && residue != right ? known_answer_wrong(s, "residue of a text", N)
                                                : status;
}

/* Pairs spread into wider slots, and halves of slots put together again. */
static enum gpu_status verify_levels(struct radix_test *r) {
    enum { SLOTS = 61, NARROW = 7, WIDE = 13, SIZE = SLOTS * WIDE + 3 };
    struct known_answer *t = &r->t;
    enum gpu_status status = upload(r, t->u.mem, t->host, WORDS * sizeof(uint32_t));
    if (status == GPU_OK)
        status =
            launch_radix_spread(t->s, launch_row(ceil_div(SIZE, TEXT_THREADS)), t->v.mem, 0, SIZE,
                                t->v.mem, SIZE + 1, SIZE, t->u.mem, 0, SLOTS, NARROW, WIDE);
    if (status == GPU_OK)
        status = download(r, r->words, t->v.mem, 0, SIZE);
    for (size_t i = 0; i < SIZE && status == GPU_OK; i++) {
        size_t from = i / WIDE * 2 * NARROW + NARROW + i % WIDE;
        if (r->words[i] != (i % WIDE < NARROW && i < SLOTS * WIDE ? t->host[from] : 0))
            status = known_answer_wrong(t->s, "numbers in pairs", NARROW);
    }
    if (status == GPU_OK)
        status = launch_radix_split(t->s, launch_row(ceil_div(SIZE, TEXT_THREADS)), t->r.mem, 0,
                                    SIZE, t->u.mem, 0, t->v.mem, 0, SLOTS / 2, WIDE, NARROW);
    if (status == GPU_OK)
        status = download(r, r->words + SIZE, t->r.mem, 0, SIZE);
    for (size_t i = 0; i < SIZE && status == GPU_OK; i++) {
        size_t slot = i / NARROW, from = slot / 2 * WIDE + WIDE - NARROW + i % NARROW;
        uint32_t word = slot >= 2 * (SLOTS / 2) ? 0 : slot % 2 ? t->host[from] : r->words[from];
        if (r->words[SIZE + i] != word)
            status = known_answer_wrong(t->s, "halves of slots", WIDE);
    }
    return status;
}

static enum gpu_status verify_radix(struct context *s) {
    struct radix_test *r = malloc(sizeof *r);
    enum gpu_status status = r ? known_answer_begin(&r->t, s, WORDS) : GPU_NOMEM;
    if (status == GPU_OK) {
        fill(r);
        status = gpu_zero(&s->queue, r->t.r.mem, 0, WORDS * sizeof(uint32_t));
    }
    if (status == GPU_OK)
        status = verify_set(r);
    if (status == GPU_OK)
        status = verify_get(r);
    if (status == GPU_OK)
        status = verify_residue(r);
    if (status == GPU_OK)
        status = verify_levels(r);
    if (r)
        free(r->t.host);
    free(r);
    return status;
}

enum gpu_status selftest_radix(struct context *s) {
    enum gpu_status status = s->verified_radix ? GPU_OK : verify_radix(s);
    s->verified_radix = status == GPU_OK;
    return status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of modular batches by Barrett's reduction.  Modulo x^2 + 1 the square of x + 1 is 2
 * x, its fourth power -4 and its eighth 16; so its power 47 is 2^23 (1 - x). */
#include <string.h>

#include "lib/modular/barrett.h"
#include "lib/modular/barrett_newton.h"
#include "lib/multiply/batch.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { NUMBERS = 3, WORDS = 38, HALF = WORDS / 2, EXPONENT = 47, SCALE = 1 << 23 };

/* {r, WORDS} = x + 1; m = x^2 + 1; 2 x; m - 2^23 (x - 1). */
struct answers {
    uint32_t u[WORDS], m[WORDS], square[WORDS], power[WORDS];
};

/* r += c {x, HALF}, or less that; and `more`. */
static void add(uint32_t *r, const uint32_t *x, int64_t c, int64_t more) {
    int64_t carry = more;
    for (size_t i = 0; i < WORDS; i++) {
        carry += r[i] + (i < HALF ? c * (int64_t)x[i] : 0);
        r[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void square(uint32_t *r, const uint32_t *x) {
    for (size_t i = 0; i < HALF; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < HALF; k++) {
            carry += (uint64_t)x[i] * x[k] + r[i + k];
            r[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        r[i + HALF] = (uint32_t)carry;
    }
}

/* x is even or odd, and has fewer bits than it could have, or all. */
static struct answers answers_of(uint32_t number) {
    struct answers a;
    uint32_t x[HALF];
    uint64_t seed = number;
    memset(&a, 0, sizeof a);
    for (size_t i = 0; i < HALF; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? UINT32_MAX : (uint32_t)(seed >> 30);
    }
    x[0] += (x[0] + number) % 2; /* even for even numbers */
    x[HALF - 1] = number ? 0xfffffff5u >> 7 * number : UINT32_MAX;
    square(a.m, x);
    add(a.m, x, 0, 1);
    memcpy(a.power, a.m, sizeof a.m);
    add(a.power, x, -SCALE, SCALE);
    add(a.u, x, 1, 1);
    add(a.square, x, 2, 0);
    return a;
}

struct trial {
    struct context *s;
    struct answers of[NUMBERS];
    struct barrett_operation b;
};

static enum gpu_status upload(struct trial *t) {
    struct context *s = t->s;
    uint32_t u[NUMBERS * WORDS], m[NUMBERS * WORDS];
    const uint32_t exponent = EXPONENT;
    const struct modular_operation *op = &t->b.op;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        t->of[i] = answers_of(i);
        memcpy(u + i * WORDS, t->of[i].u, sizeof t->of[i].u);
        memcpy(m + i * WORDS, t->of[i].m, sizeof t->of[i].m);
    }
    enum gpu_status status = transfer_up(s->transfer, &s->queue, op->u, 0, u, sizeof u);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, op->moduli.m, 0, m, sizeof m);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, op->v, 0, &exponent, sizeof exponent);
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

static enum gpu_status compare(struct trial *t, enum modular_kind kind) {
    uint32_t got[NUMBERS * WORDS];
    struct context *s = t->s;
    struct barrett_operation b = t->b;
    b.op.kind = kind;
    if (kind == MODULAR_KIND_MUL)
        b.op.v = b.op.u;
    enum gpu_status status = gpu_zero(&s->queue, b.op.r, 0, sizeof got); /* none is right */
    if (status == GPU_OK)
        status = barrett_operate(s, &b);
    if (status == GPU_OK)
        status = transfer_down(s->transfer, &s->queue, got, b.op.r, 0, sizeof got);
    for (uint32_t i = 0; i < NUMBERS && status == GPU_OK; i++) {
        const uint32_t *right = kind == MODULAR_KIND_MUL ? t->of[i].square : t->of[i].power;
        if (memcmp(got + i * WORDS, right, WORDS * sizeof *right) != 0)
            status = known_answer_wrong(s, "number in a modular batch", WORDS);
    }
    return status;
}

static enum gpu_status compute(struct trial *t, gpu_mem kinds) {
    const struct modular_operation *op = &t->b.op;
    const struct modular_request request = {.known = op->moduli.known,
                                            .kinds = kinds,
                                            .m = op->moduli.m,
                                            .count = NUMBERS,
                                            .words = WORDS};
    enum gpu_status status = upload(t);
    if (status == GPU_OK)
        status = barrett_moduli_compute(t->s, &request);
    if (status == GPU_OK)
        status = compare(t, MODULAR_KIND_MUL);
    if (status == GPU_OK)
        status = compare(t, MODULAR_KIND_POW);
    return status == GPU_OK ? compare(t, MODULAR_KIND_POW_SECURE) : status;
}

/* What the operations take beside the context's slots, which they use themselves. */
enum { U, M, KNOWN, KINDS, E, R, BUFFERS };

static enum gpu_status verify(struct trial *t) {
    static const size_t words[BUFFERS] = {WORDS, WORDS, BARRETT_KNOWN_WORDS(WORDS), 2, 2, WORDS};
    struct context *s = t->s;
    gpu_mem mem[BUFFERS];
    unsigned count = 0;
    enum gpu_status status = GPU_OK;
    while (status == GPU_OK && count < BUFFERS) {
        status = context_alloc(s, NUMBERS * words[count] * sizeof(uint32_t), &mem[count]);
        count += status == GPU_OK;
    }
    if (status == GPU_OK) {
        t->b.op = (struct modular_operation){.count = NUMBERS,
                                             .words = WORDS,
                                             .u_words = WORDS,
                                             .exponent_words = 1,
                                             .is_one_exponent = true,
                                             .r = mem[R],
                                             .u = mem[U],
                                             .v = mem[E],
                                             .moduli = {mem[M], mem[KNOWN], false}};
        status = compute(t, mem[KINDS]);
    }
    while (count-- > 0)
        context_release(s, mem[count], NUMBERS * words[count] * sizeof(uint32_t));
    return status;
}

/* Products of so many words. */
static enum gpu_status verify_products(struct context *s, uint32_t words) {
    struct batch_operation product = {.kind = BATCH_PRODUCT, .count = 1, .words = words};
    enum gpu_status status = selftest_batch(s, &product);
    product.kind = BATCH_LOW;
    return status == GPU_OK ? selftest_batch(s, &product) : status;
}

enum gpu_status selftest_reciprocals(struct context *s, uint32_t words) {
    const uint32_t least = barrett_leaf_words(words);
    const struct euclid_operation division = {
        .kind = EUCLID_DIVIDE, .count = 1, .words = least, .u_words = 2 * least};
    enum gpu_status status = selftest_euclid(s, &division);
    for (; status == GPU_OK && words > least; words = barrett_smaller_words(words))
        status = verify_products(s, words);
    return status;
}

enum gpu_status selftest_barrett(struct context *s, uint32_t words) {
    struct trial t = {.s = s};
    enum gpu_status status = verify_products(s, words);
    if (status != GPU_OK || s->verified_barrett)
        return status;
    status = verify_products(s, WORDS);
    if (status == GPU_OK)
        status = selftest_reciprocals(s, WORDS);
    if (status == GPU_OK)
        status = verify(&t);
    s->verified_barrett = status == GPU_OK;
    return status;
}

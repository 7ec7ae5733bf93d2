/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of modular batches, for each program before its first use.
 *
 * Montgomery's method: powers modulo 2^(32 * words) - c are compared with powers that the host
 * computes. To reduce a product, the host multiplies its upper half by c.
 *
 * Barrett's method: modulo x^2 + 1, the square of x + 1 is 2 x, its fourth power is -4, and its
 * eighth power is 16. So its 47th power is 2^23 (1 - x). */
#include <string.h>

#include "lib/base/conf.h"
#include "lib/modular/barrett.h"
#include "lib/modular/modular.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { NUMBERS = 3, MOST = MODULAR_MOST_WORDS };

/* ---- Montgomery's method */

/* the number c of each modulus 2^(32 * words) - c */
static const uint32_t below[NUMBERS] = {1, 0x7ffffffb, 0x12345};
static const uint32_t exponents[2 * NUMBERS] = {0, 0x80000000, 0xfedcba98, 0x0f, 29, 0};

/* Sets r = a b modulo 2^(32 n) - c. The result is below 2^(32 n), but not always below the
 * modulus. */
static void multiply(uint32_t *r, const uint32_t *a, const uint32_t *b, uint32_t c, size_t n) {
    uint32_t p[2 * MOST];
    known_answer_mul(p, a, n, b, n);
    uint32_t top = known_answer_addmul(p, n, p + n, n, c);
    for (int turn = 0; turn < 2; turn++) /* the second turn has no carry out */
        top = known_answer_addmul(p, n, &top, 1, c);
    memcpy(r, p, n * sizeof *r);
}

static bool has_bit(const uint32_t *e, unsigned bit) {
    return e[bit / 32] >> bit % 32 & 1;
}

/* Sets r = u^e modulo 2^(32 n) - c, fully reduced below the modulus; e > 0. */
static void power(uint32_t *r, const uint32_t *u, const uint32_t *e, uint32_t c, size_t n) {
    const uint32_t one = 1;
    uint32_t d[MOST];
    unsigned bit = 63;
    while (!has_bit(e, bit))
        bit--;
    memcpy(r, u, n * sizeof *r);
    while (bit-- > 0) {
        multiply(r, r, r, c, n);
        if (has_bit(e, bit))
            multiply(r, r, u, c, n);
    }
    memcpy(d, r, n * sizeof *d);
    if (known_answer_addmul(d, n, &one, 1, c) != 0)
        memcpy(r, d, n * sizeof *r);
}

/* Tests the squares or the powers of the numbers u. */
static void verify_kind(struct known_answer *t, struct modular_operation op,
                        enum modular_kind kind) {
    static const uint32_t two[] = {2, 0};
    uint32_t right[NUMBERS * MOST];
    op.kind = kind;
    if (kind == MODULAR_KIND_MUL)
        op.v = op.u;
    for (size_t i = 0; i < NUMBERS; i++)
        power(right + i * op.words, t->host[0] + i * op.words,
              kind == MODULAR_KIND_MUL ? two : exponents + 2 * i, below[i], op.words);
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, op.r, 0, t->n * sizeof *right)); /* none is right */
    KNOWN_ANSWER(t, modular_operate(t->s, &op));
    known_answer_compare(t, op.r, 0, right, t->n, "number in a modular batch");
}

/* Tests squares and powers of the first operand's numbers. The moduli overwrite the second
 * operand. */
static void verify_modular(struct known_answer *t) {
    const uint32_t words = (uint32_t)(t->n / NUMBERS);
    struct modular_operation op = {.count = NUMBERS,
                                   .words = words,
                                   .u_words = words,
                                   .exponent_words = 2,
                                   .r = t->r.mem,
                                   .u = t->x[0].mem,
                                   .moduli = {.m = t->x[1].mem}};
    memset(t->host[1], -1, t->n * sizeof *t->host[1]);
    for (size_t i = 0; i < NUMBERS; i++)
        t->host[1][i * words] = 0 - below[i];
    known_answer_up(t, op.moduli.m, 0, t->host[1], t->n);
    op.v = known_answer_buffer(t, SLOT_WINDOW, 2 * NUMBERS);
    known_answer_up(t, op.v, 0, exponents, 2 * NUMBERS);
    op.moduli.known =
        known_answer_buffer(t, SLOT_KEPT, (uint64_t)MODULAR_KNOWN_WORDS(words) * NUMBERS);
    const struct modular_request request = {op.moduli.known,
                                            known_answer_buffer(t, SLOT_FLAGS, 2 * NUMBERS),
                                            op.moduli.m, NUMBERS, words};
    KNOWN_ANSWER(t, modular_moduli_compute(t->s, &request));
    verify_kind(t, op, MODULAR_KIND_POW);
    verify_kind(t, op, MODULAR_KIND_POW_SECURE);
    verify_kind(t, op, MODULAR_KIND_MUL);
}

enum gpu_status selftest_modular(struct context *s, uint32_t words) {
    const uint32_t longest = modular_program(words);
    const unsigned key = KNOWN_MODULAR + (mpgpu_conf.verify == VERIFY_DEVICE ? 16 : 0) +
                         (unsigned)__builtin_ctz(longest);
    const size_t n = (size_t)NUMBERS * longest;
    enum gpu_status status = known_answer_ensure(s, key, n, verify_modular, NULL);
    if (modular_is_by_doubles(s, longest) &&
        known_answer_without(s, status, &s->dev.caps.fast_doubles, "powers by doubles"))
        status = known_answer_ensure(s, key, n, verify_modular, NULL);
    return status;
}

/* ---- Barrett's method */

enum { WORDS = 38, HALF = WORDS / 2, EXPONENT = 47, SCALE = 1 << 23 };

/* Adds c {x, HALF} + more to {r, WORDS}; c may be negative. */
static void add(uint32_t *r, const uint32_t *x, int64_t c, int64_t more) {
    int64_t carry = more;
    for (size_t i = 0; i < WORDS; i++, carry >>= 32) {
        carry += r[i] + (i < HALF ? c * (int64_t)x[i] : 0);
        r[i] = (uint32_t)carry;
    }
}

/* Operands and right results for a number x: u = x + 1, m = x^2 + 1, u^2 = 2 x, and u^47 = m - 2^23
 * (x - 1) modulo m. */
struct answers {
    uint32_t u[NUMBERS][WORDS], m[NUMBERS][WORDS], square[NUMBERS][WORDS], power[NUMBERS][WORDS];
};

/* Creates a number x, and operands and right results from x, which is even if `number` is even.
 * Number 0 has its highest bit set; other numbers begin with zero bits. */
static void answer(struct answers *a, uint32_t number) {
    uint32_t x[HALF];
    uint64_t seed = number;
    for (size_t i = 0; i < HALF; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? UINT32_MAX : (uint32_t)(seed >> 30);
    }
    x[0] += (x[0] + number) % 2; /* makes x even if `number` is even, otherwise odd */
    x[HALF - 1] = number ? 0xfffffff5u >> 7 * number : UINT32_MAX;
    known_answer_mul(a->m[number], x, HALF, x, HALF);
    add(a->m[number], x, 0, 1);
    memcpy(a->power[number], a->m[number], sizeof a->m[number]);
    add(a->power[number], x, -SCALE, SCALE);
    add(a->u[number], x, 1, 1);
    add(a->square[number], x, 2, 0);
}

static void verify_barrett_kind(struct known_answer *t, struct barrett_operation b,
                                enum modular_kind kind, const uint32_t (*right)[WORDS]) {
    uint32_t got[NUMBERS][WORDS] = {{0}};
    b.op.kind = kind;
    if (kind == MODULAR_KIND_MUL)
        b.op.v = b.op.u;
    /* clears results of an earlier test */
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, b.op.r, 0, sizeof got));
    KNOWN_ANSWER(t, barrett_operate(t->s, &b));
    known_answer_down(t, got, b.op.r, 0, NUMBERS * WORDS);
    known_answer_expect(t, memcmp(got, right, sizeof got) == 0, "number in a modular batch", WORDS);
}

/* Tests squares and powers modulo x^2 + 1. Uses new buffers, because the operations themselves use
 * the context's buffers. */
static void verify_barrett(struct known_answer *t) {
    const uint32_t exponent = EXPONENT;
    struct answers a;
    struct barrett_operation b = {.op = {.count = NUMBERS,
                                         .words = WORDS,
                                         .u_words = WORDS,
                                         .exponent_words = 1,
                                         .is_one_exponent = true}};
    struct modular_operation *op = &b.op;
    memset(&a, 0, sizeof a);
    for (uint32_t i = 0; i < NUMBERS; i++)
        answer(&a, i);
    op->r = known_answer_alloc(t, NUMBERS * WORDS);
    op->u = known_answer_alloc(t, NUMBERS * WORDS);
    op->v = known_answer_alloc(t, 2);
    op->moduli.m = known_answer_alloc(t, NUMBERS * WORDS);
    op->moduli.known = known_answer_alloc(t, NUMBERS * BARRETT_KNOWN_WORDS(WORDS));
    const struct modular_request request = {op->moduli.known, known_answer_alloc(t, 2 * NUMBERS),
                                            op->moduli.m, NUMBERS, WORDS};
    known_answer_up(t, op->u, 0, a.u, NUMBERS * WORDS);
    known_answer_up(t, op->moduli.m, 0, a.m, NUMBERS * WORDS);
    known_answer_up(t, op->v, 0, &exponent, 1);
    KNOWN_ANSWER(t, barrett_moduli_compute(t->s, &request));
    verify_barrett_kind(t, b, MODULAR_KIND_MUL, a.square);
    verify_barrett_kind(t, b, MODULAR_KIND_POW, a.power);
    verify_barrett_kind(t, b, MODULAR_KIND_POW_SECURE, a.power);
}

/* Tests whole products of numbers of `words` words, and low products. */
static enum gpu_status ensure_products(struct context *s, uint32_t words) {
    struct batch_operation product = {.kind = BATCH_PRODUCT, .count = 1, .words = words};
    enum gpu_status status = selftest_batch(s, &product);
    product.kind = BATCH_LOW;
    return status == GPU_OK ? selftest_batch(s, &product) : status;
}

enum gpu_status selftest_reciprocals(struct context *s, uint32_t words) {
    const struct euclid_operation division = {.kind = EUCLID_DIVIDE, .words = words};
    return selftest_euclid(s, &division);
}

enum gpu_status selftest_barrett(struct context *s, uint32_t words) {
    enum gpu_status status = ensure_products(s, words);
    if (status != GPU_OK || known_answer_has(s, KNOWN_BARRETT))
        return status;
    status = ensure_products(s, WORDS);
    if (status == GPU_OK)
        status = selftest_reciprocals(s, WORDS);
    return status == GPU_OK ? known_answer_ensure(s, KNOWN_BARRETT, 0, verify_barrett, NULL)
                            : status;
}

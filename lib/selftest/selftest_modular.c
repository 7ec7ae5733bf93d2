/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of modular batches, for each program at its first use: powers modulo 2^(32 words) -
 * c, which the host reduces by folding.  Traced kernels and others have their own. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/modular/modular.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { NUMBERS = 3, MOST = MODULAR_MOST_WORDS };

static const uint32_t below[NUMBERS] = {1, 0x7ffffffb, 0x12345}; /* c of each modulus */
static const uint32_t exponents[2 * NUMBERS] = {0, 0x80000000, 0xfedcba98, 0x0f, 29, 0};

/* On the host: r = a b modulo 2^(32 n) - c. */
static void multiply(uint32_t *r, const uint32_t *a, const uint32_t *b, uint32_t c, size_t n) {
    uint32_t p[2 * MOST] = {0};
    uint64_t top = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < n; k++) {
            carry += (uint64_t)a[k] * b[i] + p[i + k];
            p[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        p[i + n] = (uint32_t)carry;
    }
    for (int turn = 0; turn < 3; turn++) { /* then nothing is left on top */
        for (size_t k = 0; k < n; k++) {
            top += (turn == 0 ? (uint64_t)p[n + k] * c : k == 0 ? p[n] * (uint64_t)c : 0) + p[k];
            p[k] = (uint32_t)top;
            top >>= 32;
        }
        p[n] = (uint32_t)top;
        top = 0;
    }
    memcpy(r, p, n * sizeof *r);
}

/* r < 2^(32 n) becomes less than 2^(32 n) - c. */
static void finish(uint32_t *r, uint32_t c, size_t n) {
    uint32_t d[MOST];
    uint64_t carry = c;
    for (size_t k = 0; k < n; k++) {
        carry += r[k];
        d[k] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        memcpy(r, d, n * sizeof *r);
}

static void power(uint32_t *r, const uint32_t *u, const uint32_t *e, uint32_t c, size_t n) {
    memset(r, 0, n * sizeof *r);
    r[0] = 1;
    for (unsigned bit = 64; bit-- > 0;) {
        multiply(r, r, r, c, n);
        if (e[bit / 32] >> bit % 32 & 1)
            multiply(r, r, u, c, n);
    }
    finish(r, c, n);
}

/* The moduli in place of the second operand, and the exponents, on the device. */
static enum gpu_status upload(struct known_answer *t, struct modular_operation *op) {
    uint32_t *m = t->host + t->n;
    gpu_mem kinds = {0};
    size_t known = (size_t)MODULAR_KNOWN_WORDS(op->words) * NUMBERS;
    memset(m, -1, t->n * sizeof *m);
    for (int i = 0; i < NUMBERS; i++)
        m[(size_t)i * op->words] = 0 - below[i];
    op->moduli.m = t->v.mem;
    enum gpu_status status =
        transfer_up(t->s->transfer, &t->s->queue, op->moduli.m, 0, m, t->n * sizeof *m);
    if (status == GPU_OK)
        status = context_buffer(t->s, SLOT_WINDOW, sizeof exponents, &op->v);
    if (status == GPU_OK)
        status = transfer_up(t->s->transfer, &t->s->queue, op->v, 0, exponents, sizeof exponents);
    if (status == GPU_OK)
        status = context_buffer(t->s, SLOT_KEPT, known * sizeof *m, &op->moduli.known);
    if (status == GPU_OK)
        status = context_buffer(t->s, SLOT_FLAGS, NUMBERS * sizeof(uint64_t), &kinds);
    const struct modular_request request = {op->moduli.known, kinds, op->moduli.m, NUMBERS,
                                            op->words};
    return status == GPU_OK ? modular_moduli_compute(t->s, &request) : status;
}

static enum gpu_status compare(struct known_answer *t, const struct modular_operation *op) {
    uint32_t *r = t->host + 2 * t->n, right[MOST];
    enum gpu_status status = gpu_zero(&t->s->queue, op->r, 0, t->n * sizeof *r); /* none is right */
    if (status == GPU_OK)
        status = modular_operate(t->s, op);
    if (status == GPU_OK)
        status = transfer_down(t->s->transfer, &t->s->queue, r, op->r, 0, t->n * sizeof *r);
    for (size_t i = 0; i < NUMBERS && status == GPU_OK; i++) {
        const uint32_t *u = t->host + i * op->words;
        if (op->kind == MODULAR_KIND_MUL) {
            multiply(right, u, u, below[i], op->words);
            finish(right, below[i], op->words);
        } else {
            power(right, u, exponents + 2 * i, below[i], op->words);
        }
        if (memcmp(right, r + i * op->words, op->words * sizeof *r) != 0)
            status = known_answer_wrong(t->s, "number in a modular batch", op->words);
    }
    return status;
}

static enum gpu_status verify(struct context *s, uint32_t words) {
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, (size_t)NUMBERS * words);
    struct modular_operation op = {.kind = MODULAR_KIND_POW,
                                   .count = NUMBERS,
                                   .words = words,
                                   .u_words = words,
                                   .exponent_words = 2,
                                   .r = t.r.mem,
                                   .u = t.u.mem};
    if (status == GPU_OK)
        status = upload(&t, &op);
    if (status == GPU_OK)
        status = compare(&t, &op);
    op.kind = MODULAR_KIND_POW_SECURE;
    if (status == GPU_OK)
        status = compare(&t, &op);
    op.kind = MODULAR_KIND_MUL;
    op.v = op.u;
    if (status == GPU_OK)
        status = compare(&t, &op);
    free(t.host);
    return status;
}

enum gpu_status selftest_modular(struct context *s, uint32_t words) {
    const uint32_t longest = modular_program(words);
    const unsigned bit = mpgpu_conf.verify == VERIFY_DEVICE ? longest << 16 : longest;
    if (s->verified_modular & bit)
        return GPU_OK;
    enum gpu_status status = verify(s, longest);
    if (modular_is_by_doubles(s, longest) &&
        known_answer_without(s, status, &s->dev.caps.fast_doubles, "powers by doubles"))
        status = verify(s, longest);
    if (status == GPU_OK)
        s->verified_modular |= bit;
    return status;
}

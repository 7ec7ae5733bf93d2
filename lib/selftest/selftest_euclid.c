/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of gcds, inverses and quotients of batches: of numbers a(i+1) = c a(i) + a(i-1) any
 * two side by side have the first's gcd, and b, begun otherwise, gives inverses; quotients by
 * residues. */
#include <stdlib.h>
#include <string.h>

#include "kernels/modular/euclid.h"
#include "lib/device/residue.h"
#include "lib/modular/euclid_plan.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { NUMBERS = 4, BUFFERS = 5 };

/* Operands, what is right, and what the device made of them: NUMBERS of so many words each, or of
 * u and q twice as many. */
struct trial {
    struct context *s;
    struct euclid_operation op;
    uint32_t *host, *u, *v, *right, *q, *r;
    gpu_mem mem[BUFFERS];
    unsigned buffers;
};

/* {x, n} = c {y, n} + {x, n}, which fits. */
static void multiply_add(uint32_t *x, const uint32_t *y, size_t n, uint32_t c) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        carry += (uint64_t)c * y[i] + x[i];
        x[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void swap(uint32_t *x, uint32_t *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t word = x[i];
        x[i] = y[i];
        y[i] = word;
    }
}

/* {x, n} -= {y, n} */
static void subtract(uint32_t *x, const uint32_t *y, size_t n) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t rest = (uint64_t)x[i] - y[i] - borrow;
        x[i] = (uint32_t)rest;
        borrow = rest >> 63;
    }
}

/* v > u are neighbours whose gcd is g, v even or odd.  For g = 1 {right, n} is u's inverse modulo
 * v, else g.  `below` is room. */
static void neighbours(uint32_t *u, uint32_t *v, uint32_t *right, uint32_t *below, size_t n,
                       uint32_t g, uint32_t odd) {
    uint64_t seed = g + odd;
    bool is_one = false; /* u right = 1 modulo v, not -1 */
    v[0] = g;
    below[0] = 1; /* v = g, u = 0: v below - u right = g */
    while (v[n - 3] == 0 || (g % 2 && v[0] % 2 != odd)) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t c = (uint32_t)(seed >> 34) | 1u;
        multiply_add(u, v, n, c);
        multiply_add(below, right, n, c);
        swap(u, v, n);
        swap(below, right, n);
        is_one = !is_one;
    }
    memcpy(below, right, n * sizeof *right);
    memcpy(right, v, n * sizeof *right);
    subtract(right, below, n);
    if (is_one)
        memcpy(right, below, n * sizeof *right);
}

/* The gcds; a number without inverse. */
static void fill(struct trial *t) {
    static const uint32_t gcds[NUMBERS] = {1, 0x80000001, 6, 1}, ones[NUMBERS] = {1, 1, 1, 3};
    const size_t n = t->op.words;
    const bool is_inverse = t->op.kind == EUCLID_INVERSE;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        uint32_t g = is_inverse ? ones[i] : gcds[i], *right = t->right + i * n;
        neighbours(t->u + i * n, t->v + i * n, right, t->q + i * n, n, g,
                   is_inverse && !t->op.has_even ? 1 : i % 2);
        if (!is_inverse || g != 1)
            memset(right, 0, n * sizeof *right);
        right[0] = is_inverse ? right[0] : g;
    }
    if (t->op.kind == EUCLID_DIVIDE) /* dividends twice as long */
        memcpy(t->u + NUMBERS * n, t->v, NUMBERS * n * sizeof *t->v);
}

static enum gpu_status alloc(struct trial *t, uint64_t words, gpu_mem *mem) {
    enum gpu_status status = context_alloc(t->s, words * sizeof(uint32_t), mem);
    if (status == GPU_OK)
        t->mem[t->buffers++] = *mem;
    return status;
}

/* For results, of which none is 0: what an earlier test has left is gone. */
static enum gpu_status alloc_result(struct trial *t, uint64_t words, gpu_mem *mem) {
    enum gpu_status status = alloc(t, words, mem);
    return status == GPU_OK ? gpu_zero(&t->s->queue, *mem, 0, (size_t)words * sizeof(uint32_t))
                            : status;
}

static enum gpu_status upload(struct trial *t, const uint32_t *x, uint64_t words, gpu_mem *mem) {
    enum gpu_status status = alloc(t, 2 * NUMBERS * (uint64_t)t->op.words, mem);
    return status == GPU_OK
               ? transfer_up(t->s->transfer, &t->s->queue, *mem, 0, x, words * sizeof *x)
               : status;
}

static enum gpu_status download(struct trial *t, uint32_t *x, gpu_mem mem, uint64_t words) {
    return transfer_down(t->s->transfer, &t->s->queue, x, mem, 0, words * sizeof *x);
}

static enum gpu_status begin(struct trial *t) {
    const size_t n = (size_t)NUMBERS * t->op.words;
    t->host = calloc(7 * n, sizeof *t->host);
    t->u = t->host;
    t->v = t->u + 2 * n;
    t->right = t->v + n;
    t->q = t->right + n;
    t->r = t->q + 2 * n;
    if (!t->host)
        return GPU_NOMEM;
    fill(t);
    enum gpu_status status = upload(t, t->u, 2 * n, &t->op.u);
    if (status == GPU_OK)
        status = upload(t, t->v, n, &t->op.v);
    if (status == GPU_OK)
        status = alloc_result(t, 2 * n, &t->op.r);
    if (status == GPU_OK && t->op.kind == EUCLID_DIVIDE)
        status = alloc_result(t, 2 * n, &t->op.q);
    if (status == GPU_OK && t->op.kind == EUCLID_INVERSE)
        status = alloc_result(t, 2 * n, &t->op.flags);
    return status;
}

static void end(struct trial *t) {
    for (unsigned i = 0; i < t->buffers; i++)
        context_release(t->s, t->mem[i], 2 * NUMBERS * (uint64_t)t->op.words * sizeof(uint32_t));
    free(t->host);
}

/* {x, n} < {y, n} */
static bool is_less(const uint32_t *x, const uint32_t *y, size_t n) {
    while (n > 0 && x[n - 1] == y[n - 1])
        n--;
    return n > 0 && x[n - 1] < y[n - 1];
}

static bool quotients_are_right(const struct trial *t) {
    const size_t n = t->op.words, un = t->op.u_words;
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t u = residue_of(t->u + i * un, un, RESIDUE_MODULUS);
        uint64_t q = residue_of(t->q + i * un, un, RESIDUE_MODULUS);
        uint64_t v = residue_of(t->v + i * n, n, RESIDUE_MODULUS);
        uint64_t r = residue_of(t->r + i * n, n, RESIDUE_MODULUS);
        if (u != residue_add(residue_mul(q, v), r) || !is_less(t->r + i * n, t->v + i * n, n))
            return false;
    }
    return true;
}

static enum gpu_status compare(struct trial *t) {
    const uint64_t n = (uint64_t)NUMBERS * t->op.words;
    const uint64_t flags[NUMBERS] = {1, 1, 1, 0};
    bool right = true;
    enum gpu_status status = download(t, t->r, t->op.r, n);
    if (status == GPU_OK && t->op.kind == EUCLID_DIVIDE)
        status = download(t, t->q, t->op.q, NUMBERS * (uint64_t)t->op.u_words);
    if (status == GPU_OK && t->op.kind == EUCLID_INVERSE)
        status = download(t, t->q, t->op.flags, 2 * NUMBERS);
    if (t->op.kind == EUCLID_DIVIDE)
        right = quotients_are_right(t);
    else
        right = memcmp(t->r, t->right, n * sizeof *t->r) == 0 &&
                (t->op.kind == EUCLID_GCD || memcmp(t->q, flags, sizeof flags) == 0);
    return status == GPU_OK && !right
               ? known_answer_wrong(t->s, "gcd or quotient in a batch", t->op.words)
               : status;
}

/* The shortest numbers that the operation's program makes, in teams if it does. */
static struct euclid_operation shortest(const struct euclid_operation *op) {
    struct euclid_operation least = {
        .kind = op->kind, .count = NUMBERS, .words = 6, .has_even = op->has_even};
    while (euclid_program(&least) != euclid_program(op))
        least.words += 2;
    if (euclid_has_team(op) && !euclid_has_team(&least))
        least.words *= 2;
    least.u_words = op->kind == EUCLID_DIVIDE ? 2 * least.words : least.words;
    return least;
}

static uint64_t bit_of(const struct euclid_operation *op) {
    const enum gpu_program program = euclid_program(op);
    const unsigned kind = op->kind == EUCLID_INVERSE ? 1u + op->has_even : 0;
    if (op->kind == EUCLID_DIVIDE)
        return UINT64_C(1) << (program - GPU_PROGRAM_batch_divide_8);
    return UINT64_C(1) << (9 + 6 * (program - GPU_PROGRAM_batch_gcd_10) + 2 * kind +
                           euclid_has_team(op));
}
_Static_assert(GPU_PROGRAM_batch_divide_long_40 - GPU_PROGRAM_batch_divide_8 < 9 &&
                   GPU_PROGRAM_batch_gcd_40 - GPU_PROGRAM_batch_gcd_10 < 9,
               "bits of all");

enum gpu_status selftest_euclid(struct context *s, const struct euclid_operation *op) {
    struct trial t = {.s = s, .op = shortest(op)};
    if (s->verified_euclid & bit_of(op))
        return GPU_OK;
    enum gpu_status status = begin(&t);
    if (status == GPU_OK)
        status = euclid_operate(s, &t.op);
    if (status == GPU_OK)
        status = compare(&t);
    end(&t);
    if (status == GPU_OK)
        s->verified_euclid |= bit_of(op);
    return status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of gcds, inverses and quotients of batches. Operands are two successive
 * numbers of a sequence a(i+1) = c a(i) + a(i-1), with a new random number c in each step. All
 * successive numbers have the same gcd as the first two. A second sequence with the same numbers c
 * yields the inverses. */
#include <stdlib.h>
#include <string.h>

#include "kernels/modular/quotient.h"
#include "lib/modular/euclid_newton.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { NUMBERS = 4 };

/* Operands u and v, right results, and the device's results q and r: NUMBERS numbers of `words`
 * words each. u and q may have twice this length. */
struct trial {
    struct euclid_operation op;
    uint32_t *u, *v, *right, *q, *r;
};

static void swap(uint32_t *x, uint32_t *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t word = x[i];
        x[i] = y[i];
        y[i] = word;
    }
}

/* Subtracts {y, n} from {x, n}. */
static void subtract(uint32_t *x, const uint32_t *y, size_t n) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t rest = (uint64_t)x[i] - y[i] - borrow;
        x[i] = (uint32_t)rest;
        borrow = rest >> 63;
    }
}

/* Sets u and v to two successive numbers of the sequence, with v > u and the gcd g. If g is odd, v
 * is odd if `odd` is 1, and even if `odd` is 0. If g is 1, sets {right, n} to the inverse of u
 * modulo v. Uses `below` as scratch memory. */
static void neighbours(uint32_t *u, uint32_t *v, uint32_t *right, uint32_t *below, size_t n,
                       uint32_t g, uint32_t odd) {
    uint64_t seed = g + odd;
    bool is_one = false; /* true if u * right is 1 modulo v, false if it is -1 */
    v[0] = g;
    below[0] = 1; /* at first v = g and u = 0, so that v * below - u * right = g */
    while (v[n - 3] == 0 || (g % 2 && v[0] % 2 != odd)) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t c = (uint32_t)(seed >> 34) | 1u;
        known_answer_addmul(u, n, v, n, c);
        known_answer_addmul(below, n, right, n, c);
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

/* Creates operands and right results. For a test of gcds, the pairs of operands have the gcds in
 * `gcds`. For a test of inverses, the last pair has the gcd 3 and so no inverse. */
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
    if (t->op.kind == EUCLID_DIVIDE) /* dividends have twice the length of divisors */
        memcpy(t->u + NUMBERS * n, t->v, NUMBERS * n * sizeof *t->v);
}

/* Returns true if {x, n} < {y, n}. */
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

static void compare(struct known_answer *t, struct trial *k) {
    static const uint64_t flags[NUMBERS] = {1, 1, 1, 0};
    const size_t n = (size_t)NUMBERS * k->op.words;
    bool is_right = true;
    known_answer_down(t, k->r, k->op.r, 0, n);
    if (k->op.kind == EUCLID_DIVIDE) {
        known_answer_down(t, k->q, k->op.q, 0, (size_t)NUMBERS * k->op.u_words);
        is_right = quotients_are_right(k);
    } else {
        is_right = memcmp(k->r, k->right, n * sizeof *k->r) == 0;
    }
    if (k->op.kind == EUCLID_INVERSE) {
        known_answer_down(t, k->q, k->op.flags, 0, 2 * NUMBERS);
        is_right = is_right && memcmp(k->q, flags, sizeof flags) == 0;
    }
    known_answer_expect(t, is_right, "gcd or quotient in a batch", k->op.words);
}

/* Runs the test in new buffers of zeros. So results of an earlier test cannot be mistaken for
 * results of this test. */
static void verify(struct known_answer *t) {
    struct trial k = {.op = *(const struct euclid_operation *)t->plan};
    const size_t n = (size_t)NUMBERS * k.op.words;
    gpu_mem more;
    k.u = calloc(7 * n, sizeof *k.u);
    k.v = k.u + 2 * n;
    k.right = k.v + n;
    k.q = k.right + n;
    k.r = k.q + 2 * n;
    if (k.u)
        fill(&k);
    else
        t->status = GPU_NOMEM;
    k.op.u = known_answer_alloc(t, 2 * n);
    k.op.v = known_answer_alloc(t, 2 * n);
    k.op.r = known_answer_alloc(t, 2 * n);
    more = known_answer_alloc(t, 2 * n);
    k.op.q = k.op.kind == EUCLID_DIVIDE ? more : k.op.q;
    k.op.flags = k.op.kind == EUCLID_INVERSE ? more : k.op.flags;
    known_answer_up(t, k.op.u, 0, k.u, 2 * n);
    known_answer_up(t, k.op.v, 0, k.v, n);
    KNOWN_ANSWER(t, euclid_operate(t->s, &k.op));
    if (t->status == GPU_OK)
        compare(t, &k);
    free(k.u);
}

/* Returns an operation like *op with the shortest numbers for which the same program is launched.
 * Like *op, it has one or several work-items for each number. */
static struct euclid_operation shortest(const struct euclid_operation *op) {
    struct euclid_operation least = {.kind = op->kind,
                                     .count = NUMBERS,
                                     .words = 6,
                                     .has_even = op->has_even,
                                     .by_words = op->by_words};
    while (euclid_program(&least) != euclid_program(op))
        least.words += 2;
    if (euclid_has_team(op) && !euclid_has_team(&least))
        least.words *= 2;
    least.u_words = op->kind == EUCLID_DIVIDE ? 2 * least.words : least.words;
    return least;
}

static unsigned key_of(const struct euclid_operation *op) {
    const unsigned program = euclid_program(op);
    const unsigned kind = op->kind == EUCLID_INVERSE ? 1u + op->has_even : 0;
    if (euclid_is_by_newton(op))
        return KNOWN_EUCLID;
    if (op->kind == EUCLID_DIVIDE)
        return KNOWN_EUCLID + 1 + program - GPU_PROGRAM_batch_divide_8;
    return KNOWN_EUCLID + 9 + 6 * (program - GPU_PROGRAM_batch_gcd_10) + 2 * kind +
           euclid_has_team(op);
}
_Static_assert(GPU_PROGRAM_batch_divide_1024 - GPU_PROGRAM_batch_divide_8 < 8 &&
                   GPU_PROGRAM_batch_gcd_40 - GPU_PROGRAM_batch_gcd_10 < 3,
               "bits of all");

/* Tests the kernels that Newton's method uses for divisors of `words` words: kernels for products
 * and short quotients, but not the method's own kernels. */
static enum gpu_status ensure_parts(struct context *s, uint32_t words) {
    const uint32_t n = euclid_newton_words(words), k = n / QUOTIENT_LEAF;
    const struct euclid_operation leaf = {.kind = EUCLID_DIVIDE, .by_words = true, .words = k};
    struct batch_operation product = {.kind = BATCH_PRODUCT, .count = 1, .words = k};
    enum gpu_status status = selftest_euclid(s, &leaf);
    for (; status == GPU_OK && product.words <= n / 2; product.words *= 2) {
        product.kind = BATCH_PRODUCT;
        status = selftest_batch(s, &product);
        product.kind = BATCH_LOW;
        status = status == GPU_OK ? selftest_batch(s, &product) : status;
    }
    return status;
}

enum gpu_status selftest_euclid(struct context *s, const struct euclid_operation *op) {
    const struct euclid_operation least = shortest(op);
    enum gpu_status status = GPU_OK;
    if (euclid_is_by_newton(op))
        status = ensure_parts(s, op->words);
    if (status == GPU_OK && euclid_is_by_newton(op))
        status = ensure_parts(s, least.words);
    return status == GPU_OK ? known_answer_ensure(s, key_of(op), 0, verify, &least) : status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the device's own check of batches (lib/multiply/batch_check.c). It must accept GMP's
 * results of every length and with all possible carries, and must reject them if any word is
 * changed. */
#include <string.h>

#include "lib/base/log.h"
#include "lib/device/verdict.h"
#include "lib/multiply/batch.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"

enum { OPERANDS = 3, WRONG = 12 };

/* A batch on the host and on the device: `count` numbers of n limbs, results of rn limbs. */
struct batch {
    struct context *s;
    size_t count, n, rn;
    mp_limb_t *x[OPERANDS], *r, *carries;
    unsigned which[BATCH_TERMS]; /* for each term of a sum, the index of its operand in x */
    struct batch_operation op;
};

static void upload(struct context *s, enum context_slot slot, const mp_limb_t *x, size_t n,
                   gpu_mem *mem) {
    ck_assert_int_eq(context_buffer(s, slot, n * sizeof *x, mem), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, *mem, 0, x, n * sizeof *x), GPU_OK);
}

/* Fills x with long runs of ones and zeros; if `ones` is not 0, with ones only. */
static void fill(mp_limb_t *x, size_t n, int ones) {
    if (ones)
        memset(x, 0xff, n * sizeof *x);
    else
        testing_limbs(x, n);
}

static void right_sum(struct batch *b, size_t i) {
    mp_limb_t *rp = b->r + i * b->n, top = 0;
    mpn_zero(rp, b->n);
    for (unsigned k = 0; k < b->op.terms; k++)
        if (b->op.negated >> k & 1)
            top -= mpn_sub_n(rp, rp, b->x[b->which[k]] + i * b->n, b->n);
        else
            top += mpn_add_n(rp, rp, b->x[b->which[k]] + i * b->n, b->n);
    b->carries[i] = b->op.borrows ? -top : top;
}

static void right_product(struct batch *b, size_t i) {
    mp_limb_t *pp = limbs(2 * b->n);
    mpn_mul_n(pp, b->x[b->which[0]] + i * b->n, b->x[b->which[1]] + i * b->n, b->n);
    memcpy(b->r + i * b->rn, pp, b->rn * sizeof *pp);
    free(pp);
}

/* Chooses random terms of a sum, possibly the same operand twice, or the two factors of a
 * product. */
static void choose_terms(struct batch *b, const gpu_mem mem[OPERANDS]) {
    int is_sum = b->op.kind == BATCH_SUM;
    b->op.terms = is_sum ? 1 + (unsigned)testing_below(BATCH_TERMS) : 2;
    b->op.negated = is_sum ? (unsigned)testing_below(1 << BATCH_TERMS) : 0;
    b->op.borrows = (int)testing_below(2);
    for (unsigned k = 0; k < b->op.terms; k++) {
        b->which[k] = (unsigned)testing_below(OPERANDS);
        b->op.term[k] = mem[b->which[k]];
    }
}

static struct batch begin(struct context *s, enum batch_kind kind, size_t count, size_t n,
                          int ones) {
    static const enum context_slot slots[OPERANDS] = {SLOT_U, SLOT_V, SLOT_ADDEND};
    struct batch b = {.s = s, .count = count, .n = n, .rn = kind == BATCH_PRODUCT ? 2 * n : n};
    gpu_mem mem[OPERANDS];
    b.op = (struct batch_operation){.kind = kind, .count = count, .words = 2 * (uint32_t)n};
    b.r = limbs(count * b.rn);
    b.carries = limbs(count);
    for (unsigned k = 0; k < OPERANDS; k++) {
        b.x[k] = limbs(count * n);
        fill(b.x[k], count * n, ones);
        upload(s, slots[k], b.x[k], count * n, &mem[k]);
    }
    choose_terms(&b, mem);
    for (size_t i = 0; i < count; i++)
        if (kind == BATCH_SUM)
            right_sum(&b, i);
        else
            right_product(&b, i);
    upload(s, SLOT_R, b.r, count * b.rn, &b.op.r);
    upload(s, SLOT_FLAGS, b.carries, count, &b.op.carries);
    ck_assert_int_eq(batch_check_prepare(s, &b.op), GPU_OK);
    return b;
}

static void end(struct batch *b) {
    for (unsigned k = 0; k < OPERANDS; k++)
        free(b->x[k]);
    free(b->r);
    free(b->carries);
}

static void expect(struct batch *b, enum gpu_status verdict, const char *what, size_t word) {
    ck_assert_int_eq(verdict_begin(b->s), GPU_OK);
    ck_assert_int_eq(batch_check_add(b->s, &b->op), GPU_OK);
    ck_assert_msg(verdict_end(b->s) == verdict,
                  "kind %d, %zu numbers of %zu limbs, %u negated, %s: word %zu", b->op.kind,
                  b->count, b->n, b->op.negated, what, word);
}

/* Makes a word of {x, n} on the device wrong: changes a bit, or adds 1 or a random number. The
 * check must fail. Then restores the word. */
static void spoil(struct batch *b, gpu_mem mem, const mp_limb_t *x, size_t n, int turn) {
    uint32_t right[2], wrong;
    size_t word = turn == 0 ? 0 : turn == 1 ? 2 * n - 1 : testing_below(2 * n);
    memcpy(right, x + word / 2, sizeof right);
    wrong = turn % 3 == 0   ? right[word % 2] ^ 1u << testing_below(32)
            : turn % 3 == 1 ? right[word % 2] + 1
                            : right[word % 2] + 1 + (uint32_t)testing_below(UINT32_MAX);
    struct transfer *t = b->s->transfer;
    const size_t at = word * sizeof wrong;
    ck_assert_int_eq(transfer_up(t, &b->s->queue, mem, at, &wrong, sizeof wrong), GPU_OK);
    expect(b, GPU_FAILED, mem.h == b->op.r.h ? "wrong" : "wrong carry", word);
    ck_assert_int_eq(transfer_up(t, &b->s->queue, mem, at, right + word % 2, sizeof wrong), GPU_OK);
}

static void compare(struct context *s, enum batch_kind kind, size_t count, size_t n, int ones) {
    struct batch b = begin(s, kind, count, n, ones);
    expect(&b, GPU_OK, "right", 0);
    for (int turn = 0; turn < WRONG; turn++) {
        spoil(&b, b.op.r, b.r, count * b.rn, turn);
        if (kind == BATCH_SUM && turn < 4)
            spoil(&b, b.op.carries, b.carries, count, turn);
    }
    expect(&b, GPU_OK, "right again", 0);
    end(&b);
}

/* ---- sums of low products and of other terms */

/* Computes the expected results r: sums of low halves of products, and of other terms, as `sum`
 * describes. `which` are the factors of each product. */
static void right_low_sum(struct batch *b, const struct batch_low_sum *sum,
                          unsigned which[2][BATCH_LOW_SUM_PRODUCTS]) {
    const mp_size_t n = (mp_size_t)b->n;
    mp_limb_t *pp = limbs(2 * b->n);
    mpn_zero(b->r, (mp_size_t)b->count * n);
    for (size_t i = 0; i < b->count; i++) {
        mp_limb_t *rp = b->r + i * b->n;
        for (unsigned k = 0; k < sum->products; k++) {
            mpn_mul_n(pp, b->x[which[0][k]] + i * b->n, b->x[which[1][k]] + i * b->n, n);
            (sum->negatives >> k & 1 ? mpn_sub_n : mpn_add_n)(rp, rp, pp, n);
        }
        for (unsigned k = 0; k < sum->terms; k++)
            (sum->negated >> k & 1 ? mpn_sub_n : mpn_add_n)(rp, rp, b->x[b->which[k]] + i * b->n,
                                                            n);
    }
    free(pp);
}

static void expect_low_sum(const struct batch *b, const struct batch_low_sum *sum,
                           enum gpu_status verdict, const char *what) {
    struct context *s = b->s;
    ck_assert_int_eq(verdict_begin(s), GPU_OK);
    ck_assert_int_eq(batch_check_low_sum(s, sum), GPU_OK);
    ck_assert_msg(verdict_end(s) == verdict,
                  "%u products, %u of them negative, %u terms: %zu numbers of %zu limbs, %s",
                  sum->products, sum->negatives, sum->terms, b->count, b->n, what);
}

static void spoil_low_sum(struct batch *b, const struct batch_low_sum *sum, int turn) {
    struct transfer *t = b->s->transfer;
    const size_t word = turn == 0 ? 0 : testing_below(2 * b->count * b->n);
    uint32_t right[2], wrong;
    memcpy(right, b->r + word / 2, sizeof right);
    wrong = turn % 2 ? right[word % 2] - 1 : right[word % 2] ^ 1u << testing_below(32);
    const size_t at = word * sizeof wrong;
    ck_assert_int_eq(transfer_up(t, &b->s->queue, sum->r, at, &wrong, sizeof wrong), GPU_OK);
    expect_low_sum(b, sum, GPU_FAILED, "wrong");
    ck_assert_int_eq(transfer_up(t, &b->s->queue, sum->r, at, right + word % 2, sizeof wrong),
                     GPU_OK);
    expect_low_sum(b, sum, GPU_OK, "right again");
}

static void compare_low_sum(struct context *s, size_t count, size_t n, int ones) {
    static const enum context_slot slots[OPERANDS] = {SLOT_U, SLOT_V, SLOT_ADDEND};
    struct batch b = begin(s, BATCH_LOW, count, n, ones);
    struct batch_low_sum sum = {.count = count,
                                .words = 2 * (uint32_t)n,
                                .products = 1 + (unsigned)testing_below(2),
                                .negatives = (unsigned)testing_below(4),
                                .terms = (unsigned)testing_below(BATCH_TERMS - 1),
                                .negated = (unsigned)testing_below(1 << BATCH_TERMS),
                                .r = b.op.r};
    unsigned which[2][BATCH_LOW_SUM_PRODUCTS];
    sum.negatives &= (1u << sum.products) - 1;
    for (unsigned k = 0; k < sum.products; k++) {
        sum.u[k] = s->slot[slots[which[0][k] = (unsigned)testing_below(OPERANDS)]].mem;
        sum.v[k] = s->slot[slots[which[1][k] = (unsigned)testing_below(OPERANDS)]].mem;
    }
    for (unsigned k = 0; k < sum.terms; k++)
        sum.term[k] = s->slot[slots[b.which[k] = (unsigned)testing_below(OPERANDS)]].mem;
    right_low_sum(&b, &sum, which);
    upload(s, SLOT_R, b.r, count * n, &sum.r);
    expect_low_sum(&b, &sum, GPU_OK, "right");
    for (int turn = 0; turn < 4; turn++)
        spoil_low_sum(&b, &sum, turn);
    end(&b);
}

static enum gpu_status compare_low_sums(struct context *s, void *unused) {
    (void)unused;
    for (size_t n = 1; n <= 33; n++)
        compare_low_sum(s, 1 + testing_below(70), n, n % 8 == 0);
    for (size_t n = 40; n <= BATCH_LOW_SUM_WORDS / 2; n += 24)
        compare_low_sum(s, 1 + testing_below(5), n, n % 3 == 0);
    return GPU_OK;
}

/* ---- all */

/* Lengths in limbs: first short ones, with which the last work-group computes fewer numbers than
 * the others. Then lengths around multiples of the part that a work-item, a work-group or a tile
 * computes. */
static const size_t sizes[] = {43,  57,   63,   64,   65,   85,   127,  129,
                               256, 1000, 1023, 1024, 1025, 2047, 2050, 4096};

static enum gpu_status compare_all(struct context *s, void *context) {
    enum batch_kind kind = *(enum batch_kind *)context;
    for (size_t n = 1; n <= 40; n++)
        compare(s, kind, 1 + testing_below(100), n, n % 8 == 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(s, kind, 1 + testing_below(4000 / sizes[i] + 2), sizes[i], i % 3 == 0);
    if (kind == BATCH_SUM)
        compare(s, kind, 2, 16384, 0);
    return GPU_OK;
}

static void compare_kind(int backend, enum batch_kind kind) {
    open_backend(backends[backend]);
    mpgpu_log_level = 0;
    ck_assert_int_eq(session_run(compare_all, &kind, sizeof kind, 0), OUTCOME_DONE);
}

START_TEST(sums) {
    compare_kind(_i, BATCH_SUM);
}
END_TEST

START_TEST(products) {
    compare_kind(_i, BATCH_PRODUCT);
}
END_TEST

START_TEST(low_products) {
    compare_kind(_i, BATCH_LOW);
}
END_TEST

START_TEST(sums_of_low_products) {
    run_on_backend(backends[_i], compare_low_sums);
}
END_TEST

int main(void) {
    return run_on_backends("batch_check",
                           TESTS(PER_DEVICE(sums_of_low_products, 1), PER_DEVICE(sums, 1),
                                 PER_DEVICE(products, 1), PER_DEVICE(low_products, 1)),
                           NULL);
}

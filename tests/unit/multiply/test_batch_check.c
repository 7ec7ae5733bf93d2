/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of batches on the device (lib/multiply/batch_check.c): what GMP has computed passes, at
 * every length and with every carry that there is; with any word changed it does not. */
#include <string.h>

#include "lib/base/log.h"
#include "lib/multiply/batch.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"

enum { OPERANDS = 3, WRONG = 12 };

/* A batch on both sides: count numbers of n limbs, results of rn. */
struct batch {
    struct context *s;
    size_t count, n, rn;
    mp_limb_t *x[OPERANDS], *r, *carries;
    unsigned which[BATCH_TERMS]; /* of them is each term */
    struct batch_operation op;
};

static void upload(struct context *s, enum context_slot slot, const mp_limb_t *x, size_t n,
                   gpu_mem *mem) {
    ck_assert_int_eq(context_buffer(s, slot, n * sizeof *x, mem), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, *mem, 0, x, n * sizeof *x), GPU_OK);
}

/* Long runs of ones and zeros; or nothing but ones. */
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

/* Any terms, also the same again; the factors of a product, which may be one. */
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
    ck_assert_int_eq(batch_check_begin(b->s, &b->op), GPU_OK);
    ck_assert_msg(batch_check_end(b->s) == verdict,
                  "kind %d, %zu numbers of %zu limbs, %u negated, %s: word %zu", b->op.kind,
                  b->count, b->n, b->op.negated, what, word);
}

/* One of {x, n} on the device is wrong for a while: by a bit, by 1, or by anything. */
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

/* Every length to where numbers fill a group's end unevenly, then about the ends of spans, of
 * groups and of tiles. */
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

static void add(TCase *tests) {
    tcase_add_loop_test(tests, sums, 0, backend_count);
    tcase_add_loop_test(tests, products, 0, backend_count);
    tcase_add_loop_test(tests, low_products, 0, backend_count);
}

int main(void) {
    return run_on_backends("batch_check", add, NULL);
}

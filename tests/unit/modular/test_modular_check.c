/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the check of modular batches on the device (lib/modular/modular_check.c). The check must
 * accept right results. It must reject them if a word of the result, of a power's operand or of the
 * recorded residues is changed, or if the launch was skipped. The check of the constants that are
 * precomputed for moduli must do the same. */
#include <string.h>

#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/modular/barrett.h"
#include "lib/modular/modular.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/multiply/batch.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"

enum { COUNT = 5, EXPONENT_WORDS = 4, TURNS = 3 };

static int wrong_words;

/* An operation on numbers that are on the device (u, v or exponents, and odd moduli), and the
 * function that checks it. */
struct trial {
    struct context *s;
    struct modular_operation op;
    struct modular_request moduli;
    enum gpu_status (*check)(const struct trial *t);
};

static enum gpu_status check_operation(const struct trial *t) {
    return modular_check(t->s, &t->op);
}

static gpu_mem random_words(struct context *s, enum context_slot slot, size_t words, size_t odd) {
    gpu_mem mem;
    mp_limb_t *x = limbs(words / 2);
    testing_limbs(x, words / 2);
    for (size_t i = 0; odd && i < words / 2; i += odd / 2) {
        x[i] |= 1;
        x[i + odd / 2 - 1] |= (mp_limb_t)1 << 62;
    }
    ck_assert_int_eq(context_buffer(s, slot, words * sizeof(uint32_t), &mem), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, 0, x, words * sizeof(uint32_t)),
                     GPU_OK);
    free(x);
    return mem;
}

static void find_known(struct trial *t) {
    struct modular_operation *op = &t->op;
    struct modular_request request = {
        .m = op->moduli.m, .count = op->moduli.is_one ? 1 : COUNT, .words = op->words};
    const size_t words = (size_t)request.count * MODULAR_KNOWN_WORDS(op->words);
    ck_assert_int_eq(context_buffer(t->s, SLOT_KEPT, words * sizeof(uint32_t), &request.known),
                     GPU_OK);
    ck_assert_int_eq(
        context_buffer(t->s, SLOT_FLAGS, request.count * sizeof(uint64_t), &request.kinds), GPU_OK);
    ck_assert_int_eq(modular_moduli_compute(t->s, &request), GPU_OK);
    op->moduli.known = request.known;
}

static struct trial begin(struct context *s, enum modular_kind kind, uint32_t words, bool one) {
    struct trial t = {.s = s,
                      .op = {.kind = kind,
                             .count = COUNT,
                             .words = words,
                             .u_words = kind == MODULAR_KIND_REDUCE ? 2 * words : words,
                             .exponent_words = EXPONENT_WORDS,
                             .is_one_exponent = one,
                             .moduli.is_one = one},
                      .check = check_operation};
    const size_t all = COUNT * (size_t)words;
    t.op.u = random_words(s, SLOT_U, 2 * all, 0);
    t.op.v = random_words(s, SLOT_V, all + COUNT * EXPONENT_WORDS, 0);
    t.op.moduli.m = random_words(s, SLOT_ADDEND, all, words);
    ck_assert_int_eq(context_buffer(s, SLOT_R, all * sizeof(uint32_t), &t.op.r), GPU_OK);
    find_known(&t);
    ck_assert_int_eq(modular_check_prepare(s, &t.op), GPU_OK);
    ck_assert_int_eq(modular_prepare(s, &t.op), GPU_OK);
    return t;
}

static void expect(struct trial *t, enum gpu_status verdict, const char *what, size_t word) {
    ck_assert_msg(t->check(t) == verdict, "kind %d of %u words, %s: word %zu", t->op.kind,
                  t->op.words, what, word);
}

/* Makes words of `mem` wrong on the device, one at a time: the first, the last, and random ones.
 * Each time the check must fail. */
static void spoil(struct trial *t, gpu_mem mem, size_t words, const char *what) {
    struct context *s = t->s;
    for (int turn = 0; turn < TURNS; turn++) {
        const size_t word = turn == 0 ? 0 : turn == 1 ? words - 1 : testing_below(words);
        const size_t at = word * sizeof(uint32_t);
        uint32_t right, wrong;
        ck_assert_int_eq(transfer_down(s->transfer, &s->queue, &right, mem, at, sizeof right),
                         GPU_OK);
        wrong = turn == 2 ? (uint32_t)testing_below(UINT32_MAX) + right + 1
                          : right ^ 1u << testing_below(32);
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, at, &wrong, sizeof wrong),
                         GPU_OK);
        expect(t, GPU_FAILED, what, word);
        wrong_words++;
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, at, &right, sizeof right),
                         GPU_OK);
    }
}

/* Sets a modulus on the device to 0. The check must fail, because a result must be smaller than its
 * modulus. */
static void lower_modulus(struct trial *t) {
    uint32_t right[MODULAR_MOST_WORDS], zeros[MODULAR_MOST_WORDS] = {0};
    struct context *s = t->s;
    const size_t bytes = t->op.words * sizeof *right;
    const gpu_mem m = t->op.moduli.m;
    ck_assert_int_eq(transfer_down(s->transfer, &s->queue, right, m, 0, bytes), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, m, 0, zeros, bytes), GPU_OK);
    expect(t, GPU_FAILED, "not reduced", 0);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, m, 0, right, bytes), GPU_OK);
}

/* Computes the differences with the argument `rows` in place of modular_rows(words). If `rows` is
 * 0, the kernel computes 0 and records the residue 0. The check must not accept these results. */
static void subtract_with_rows(struct trial *t, uint32_t rows, enum gpu_status verdict) {
    const struct modular_operation *op = &t->op;
    struct context *s = t->s;
    const uint32_t right_rows = modular_rows(op->words), shared = op->moduli.is_one;
    ck_assert_int_eq(gpu_zero(&s->queue, op->record, 0, op->count * sizeof(uint64_t)), GPU_OK);
    ck_assert_int_eq(
        launch_modular_arithmetic_traced(
            s, modular_program(op->words), modular_groups(op->count, op->words), op->r, op->u,
            op->v, op->moduli.m, op->moduli.known, op->record, op->count, op->words, rows,
            op->words, MODULAR_SUB, shared, s->slot[SLOT_TABLES].mem, tables_residue_at(),
            op->nonce - MODULAR_KEY(MODULAR_SUB, op->words, right_rows, op->words, shared)),
        GPU_OK);
    expect(t, verdict, "differences by teams of other rows", rows);
}

static void compare(struct context *s, enum modular_kind kind, uint32_t words, bool one) {
    struct trial t = begin(s, kind, words, one);
    struct modular_operation *op = &t.op;
    const size_t all = COUNT * (size_t)words;
    const bool is_power = kind == MODULAR_KIND_POW || kind == MODULAR_KIND_POW_SECURE;
    expect(&t, GPU_FAILED, "nothing computed", 0);
    ck_assert_int_eq(modular_compute(s, op), GPU_OK);
    /* A check of a secure power sets the residues that the kernels have recorded to 0. So a
     * second check must fail. */
    if (kind == MODULAR_KIND_POW_SECURE) {
        expect(&t, GPU_OK, "right", 0);
        expect(&t, GPU_FAILED, "cleared", 0);
        return;
    }
    expect(&t, GPU_OK, "right", 0);
    spoil(&t, op->r, all, "result");
    spoil(&t, op->record, 2 * COUNT, "record");
    op->nonce++;
    expect(&t, GPU_FAILED, "the record of another operation", 0);
    op->nonce--;
    lower_modulus(&t);
    if (kind == MODULAR_KIND_SUB) {
        subtract_with_rows(&t, 0, GPU_FAILED);
        subtract_with_rows(&t, modular_rows(words), GPU_OK);
    }
    if (is_power) {
        spoil(&t, op->u, all, "base");
        spoil(&t, op->moduli.m, one ? words : all, "modulus");
        spoil(&t, op->v, (one ? 1 : COUNT) * EXPONENT_WORDS, "exponent");
    }
    expect(&t, GPU_OK, "right again", 0);
}

static enum gpu_status compare_all(struct context *s, void *unused) {
    static const uint32_t lengths[] = {2, 8, 14, 34};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = MODULAR_KIND_REDUCE; kind <= MODULAR_KIND_POW_SECURE; kind++)
            compare(s, (enum modular_kind)kind, lengths[i], (i + (size_t)kind) % 2);
    printf("%d wrong words\n", wrong_words);
    return GPU_OK;
}

START_TEST(wrong_words_are_found) {
    run_on_backend(backends[_i], compare_all);
}
END_TEST

/* ---- the check of the constants that are precomputed for moduli */

static enum gpu_status check_known(const struct trial *t) {
    return modular_check_known(t->s, &t->moduli);
}

/* Runs the check of reciprocals. Call it directly after barrett_moduli_compute, because the check
 * reads intermediate results in the context's buffers. */
static enum gpu_status check_reciprocals(const struct trial *t) {
    const struct modular_request *r = &t->moduli;
    struct context *s = t->s;
    const uint32_t spans = (uint32_t)ceil_div(r->words, BATCH_SPAN);
    const struct launch_groups groups = launch_row(ceil_div(r->count * spans, BATCH_THREADS));
    enum gpu_status status = verdict_begin(s);
    if (status == GPU_OK)
        status = launch_barrett_check_known(s, groups, verdict_mem(s), verdict_pass(s, groups.x),
                                            r->kinds, s->slot[SLOT_U].mem, s->slot[SLOT_PART].mem,
                                            r->known, s->slot[SLOT_WINDOW].mem, s->slot[SLOT_V].mem,
                                            r->m, r->count, r->words, spans);
    return status == GPU_OK ? verdict_end(s) : status;
}

/* Makes a batch of moduli. They are odd, except the last two, which are even and 0. */
static struct trial begin_moduli(struct context *s, uint32_t words, size_t known_words) {
    struct trial t = {.s = s, .op.words = words, .moduli = {.count = COUNT, .words = words}};
    const size_t bytes = words * sizeof(uint32_t);
    uint32_t even[MODULAR_MOST_WORDS] = {6}, zero[MODULAR_MOST_WORDS] = {0};
    t.moduli.m = random_words(s, SLOT_EXPRESSION_LAST, COUNT * (size_t)words, words);
    ck_assert_int_eq(
        transfer_up(s->transfer, &s->queue, t.moduli.m, (COUNT - 2) * bytes, even, bytes), GPU_OK);
    ck_assert_int_eq(
        transfer_up(s->transfer, &s->queue, t.moduli.m, (COUNT - 1) * bytes, zero, bytes), GPU_OK);
    ck_assert_int_eq(
        context_buffer(s, SLOT_FACTOR_0, COUNT * known_words * sizeof(uint32_t), &t.moduli.known),
        GPU_OK);
    ck_assert_int_eq(context_buffer(s, SLOT_FACTOR_1, COUNT * sizeof(uint64_t), &t.moduli.kinds),
                     GPU_OK);
    return t;
}

static void compare_known(struct context *s, uint32_t words) {
    struct trial t = begin_moduli(s, words, MODULAR_KNOWN_WORDS(words));
    t.check = check_known;
    ck_assert_int_eq(modular_moduli_compute(s, &t.moduli), GPU_OK);
    expect(&t, GPU_OK, "known", 0);
    spoil(&t, t.moduli.known, COUNT * MODULAR_KNOWN_WORDS((size_t)words), "known");
    spoil(&t, t.moduli.kinds, 2 * COUNT, "kinds");
    spoil(&t, t.moduli.m, (COUNT - 2) * (size_t)words, "modulus");
    expect(&t, GPU_OK, "known again", 0);
}

static void compare_reciprocals(struct context *s, uint32_t words) {
    const size_t all = COUNT * (size_t)words;
    struct trial t = begin_moduli(s, words, BARRETT_KNOWN_WORDS(words));
    t.check = check_reciprocals;
    ck_assert_int_eq(barrett_moduli_compute(s, &t.moduli), GPU_OK);
    expect(&t, GPU_OK, "reciprocals", 0);
    spoil(&t, t.moduli.known, COUNT * BARRETT_KNOWN_WORDS((size_t)words), "reciprocals");
    spoil(&t, t.moduli.kinds, 2 * COUNT, "kinds");
    spoil(&t, s->slot[SLOT_U].mem, all, "shifted");
    spoil(&t, s->slot[SLOT_PART].mem, 2 * all, "dividend");
    spoil(&t, t.moduli.m, all, "modulus");
    expect(&t, GPU_OK, "reciprocals again", 0);
}

static enum gpu_status compare_moduli(struct context *s, void *unused) {
    static const uint32_t lengths[] = {2, 8, 14, 34};
    (void)unused;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        compare_known(s, lengths[i]);
        compare_reciprocals(s, lengths[i]);
    }
    printf("%d wrong words\n", wrong_words);
    return GPU_OK;
}

START_TEST(wrong_moduli_are_found) {
    run_on_backend(backends[_i], compare_moduli);
}
END_TEST

int main(void) {
    return run_on_backends(
        "modular_check",
        TESTS(PER_DEVICE(wrong_words_are_found, 1), PER_DEVICE(wrong_moduli_are_found, 1)), NULL);
}

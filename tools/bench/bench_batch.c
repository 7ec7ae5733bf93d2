/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches on the device: the programs in the tables of Oancea and Watt, arXiv:2405.14642.  They are
 * sums, low products, and (a a + b) (b b + b) + a b, timed beside a copy, unchecked and checked. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/expression/expression.h"
#include "lib/selftest/selftest.h"
#include "lib/session/session.h"
#include "tools/bench/bench_modes.h"
#include "tools/bench/bench_pass.h"

enum { LIMB_WORDS = 2, SAMPLE = 5, LOG_TOTAL = 32, LOG_TOTAL_CPU = 22 };

/* All operands and results of the mode: a and b, and a result. */
struct memory {
    uint64_t words; /* of each */
    struct bench_pass a, b;
    uint32_t *host_a, *host_b;
};

struct program {
    const char *name;
    enum gpu_status (*work)(struct context *s, struct bench_pass *pass);
    void (*right)(mp_limb_t *rp, const mp_limb_t *ap, const mp_limb_t *bp, mp_size_t n);
    double moved; /* numbers read and written, if that is what takes the time */
};

/* What a program works on: context of a pass from a to the result. */
struct batch {
    uint64_t count;
    uint32_t words;
    gpu_mem b;
};

/* ---- programs */

static enum gpu_status operate(struct context *s, struct batch_operation op,
                               const struct batch *batch) {
    op.count = batch->count;
    op.words = batch->words;
    enum gpu_status status = selftest_batch(s, &op);
    if (status == GPU_OK && mpgpu_conf.verify == VERIFY_DEVICE)
        return batch_operate(s, &op);
    if (status == GPU_OK)
        status = batch_prepare(s, &op);
    return status == GPU_OK ? batch_compute(s, &op) : status;
}

static enum gpu_status add(struct context *s, const struct batch *batch, gpu_mem r, gpu_mem u,
                           gpu_mem v, unsigned times) {
    struct batch_operation op = {.kind = BATCH_SUM, .terms = 1 + times, .r = r, .term = {u}};
    for (unsigned k = 1; k <= times; k++)
        op.term[k] = v;
    return operate(s, op, batch);
}

static enum gpu_status multiply(struct context *s, const struct batch *batch, gpu_mem r, gpu_mem u,
                                gpu_mem v) {
    return operate(
        s, (struct batch_operation){.kind = BATCH_LOW, .terms = 2, .r = r, .term = {u, v}}, batch);
}

static enum gpu_status add_once(struct context *s, struct bench_pass *pass) {
    const struct batch *batch = pass->context;
    return add(s, batch, pass->to.mem, pass->from.mem, batch->b, 1);
}

static enum gpu_status add_six_times(struct context *s, struct bench_pass *pass) {
    const struct batch *batch = pass->context;
    return add(s, batch, pass->to.mem, pass->from.mem, batch->b, 6);
}

static enum gpu_status multiply_once(struct context *s, struct bench_pass *pass) {
    const struct batch *batch = pass->context;
    return multiply(s, batch, pass->to.mem, pass->from.mem, batch->b);
}

/* One launch where that can be (lib/expression/expression.h). */
static const struct expression polynomial = {.nodes = 9,
                                             .operands = 2,
                                             .results = 1,
                                             .node = {{EXPRESSION_OPERAND, 1, 1, 0, {0}},
                                                      {EXPRESSION_OPERAND, 1, 1, 0, {1}},
                                                      {EXPRESSION_LOW, 1, 2, 0, {0, 0}},
                                                      {EXPRESSION_SUM, 1, 2, 0, {2, 1}},
                                                      {EXPRESSION_LOW, 1, 2, 0, {1, 1}},
                                                      {EXPRESSION_SUM, 1, 2, 0, {4, 1}},
                                                      {EXPRESSION_LOW, 1, 2, 0, {0, 1}},
                                                      {EXPRESSION_LOW, 1, 2, 0, {3, 5}},
                                                      {EXPRESSION_SUM, 1, 2, 0, {6, 7}}},
                                             .result = {8}};

static enum gpu_status evaluate(struct context *s, struct bench_pass *pass) {
    const struct batch *batch = pass->context;
    const struct expression_operation op = {.e = polynomial,
                                            .count = batch->count,
                                            .words = batch->words,
                                            .r = {pass->to.mem},
                                            .u = {pass->from.mem, batch->b}};
    return expression_operate(s, &op);
}

/* ---- right results, by GMP */

static void right_sum(mp_limb_t *rp, const mp_limb_t *ap, const mp_limb_t *bp, mp_size_t n) {
    mpn_add_n(rp, ap, bp, n);
}

static void right_six(mp_limb_t *rp, const mp_limb_t *ap, const mp_limb_t *bp, mp_size_t n) {
    mpn_copyi(rp, ap, n);
    mpn_addmul_1(rp, bp, n, 6);
}

/* {rp, 2n}, of which the low half counts. */
static void right_product(mp_limb_t *rp, const mp_limb_t *ap, const mp_limb_t *bp, mp_size_t n) {
    mpn_mul_n(rp, ap, bp, n);
}

/* {rp, 6n}, likewise. */
static void right_value(mp_limb_t *rp, const mp_limb_t *ap, const mp_limb_t *bp, mp_size_t n) {
    mp_limb_t *left = rp + 2 * n, *right = rp + 4 * n;
    mpn_sqr(left, ap, n);
    mpn_add_n(left, left, bp, n);
    mpn_sqr(right, bp, n);
    mpn_add_n(right, right, bp, n);
    mpn_mul_n(rp, left, right, n);
    mpn_mul_n(left, ap, bp, n);
    mpn_add_n(rp, rp, left, n);
}

static const struct program programs[] = {{"1-Add", add_once, right_sum, 3},
                                          {"6-Add", add_six_times, right_six, 3},
                                          {"1-Mul", multiply_once, right_product, 0},
                                          {"Poly", evaluate, right_value, 0}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Runs the program once more, since a copy came last, and compares some results with GMP's. */
static enum bench_state compare(const struct memory *m, struct bench_pass *pass,
                                const struct program *program, const struct batch *batch) {
    mp_size_t n = batch->words / LIMB_WORDS;
    mp_limb_t *right = malloc(7 * (size_t)n * sizeof *right);
    enum bench_state state = right && bench_pass_run(pass) == 0 ? BENCH_RIGHT : BENCH_FAILED;
    for (uint64_t i = 0; i < SAMPLE && state == BENCH_RIGHT; i++) {
        uint64_t at = (batch->count - 1) * i / (SAMPLE - 1) * batch->words;
        mp_limb_t *rp = right + 6 * n;
        program->right(right, (const mp_limb_t *)(m->host_a + at),
                       (const mp_limb_t *)(m->host_b + at), n);
        if (bench_pass_fetch(pass, at, (int32_t *)rp, batch->words))
            state = BENCH_FAILED;
        else if (mpn_cmp(rp, right, n) != 0)
            state = BENCH_WRONG;
    }
    free(right);
    return state;
}

/* ---- measuring */

static void close_memory(struct memory *m) {
    bench_pass_close(&m->a);
    bench_pass_close(&m->b);
    free(m->host_a);
    free(m->host_b);
}

static bool open_memory(struct memory *m, uint64_t words) {
    *m = (struct memory){.words = words, .host_a = malloc(words * sizeof *m->host_a)};
    m->host_b = malloc(words * sizeof *m->host_b);
    uint64_t seed = 1;
    if (!m->host_a || !m->host_b || bench_pass_open(&m->a, words) || bench_pass_open(&m->b, words))
        return false;
    timing_operand((mp_limb_t *)m->host_a, words / LIMB_WORDS, TIMING_RUNS, &seed);
    timing_operand((mp_limb_t *)m->host_b, words / LIMB_WORDS, TIMING_RUNS, &seed);
    return bench_pass_load(&m->a, 0, (int32_t *)m->host_a, words) == 0 &&
           bench_pass_load(&m->b, 0, (int32_t *)m->host_b, words) == 0;
}

/* A program under one way of verifying: its figures. */
static void measure_program(const struct bench_options *options, const struct memory *m,
                            const struct program *program, const struct batch *batch, int verify,
                            struct bench_figure figures[BENCH_PASS_FIGURES]) {
    struct bench_pass pass = m->a;
    pass.work = program->work;
    pass.context = batch;
    pass.from.words = pass.to.words = batch->count * batch->words;
    mpgpu_conf.verify = verify;
    bench_pass_measure(&pass, &options->budget, figures);
    if (figures[BENCH_PASS_WORK].state == BENCH_RIGHT)
        figures[BENCH_PASS_WORK].state = compare(m, &pass, program, batch);
}

static void print_figure(const struct bench_figure *figure, int width) {
    if (figure->state == BENCH_FAILED)
        printf(" %*s", width, "-");
    else
        printf(" %*.0f%s", width, figure->time.median * 1e6,
               figure->state == BENCH_WRONG ? "WRONG" : "");
    fflush(stdout);
}

/* A size: every program, unchecked and checked. */
static void measure(const struct bench_options *options, const struct memory *m, uint64_t bits,
                    struct bench_report *report) {
    struct batch batch = {.count = m->words / (bits / 32), .words = (uint32_t)(bits / 32)};
    char text[24];
    batch.b = m->b.from.mem;
    printf("%-8s %9llu", bench_bits_text(bits, text), (unsigned long long)batch.count);
    for (int checked = 0; checked < 2; checked++)
        for (int i = 0; i < PROGRAMS; i++) {
            struct bench_figure figures[BENCH_PASS_FIGURES];
            measure_program(options, m, &programs[i], &batch, checked ? VERIFY_DEVICE : VERIFY_OFF,
                            figures);
            const struct bench_figure *copy = &figures[BENCH_PASS_COPY],
                                      *work = &figures[BENCH_PASS_WORK];
            print_figure(work, 8);
            bench_pass_tell(report, programs[i].name, bits, checked ? "checked" : "device", work);
            if (programs[i].moved > 0 && !checked) { /* a copy reads and writes one */
                double share = 100 * programs[i].moved / 2 * copy->time.median / work->time.median;
                printf(" %3.0f%%", share);
                bench_pass_tell_value(report, programs[i].name, bits, "share", "percent", share,
                                      work->state);
            }
        }
    printf("\n");
}

static int log_of_total(const struct bench_options *options) {
    struct gpu_device dev;
    struct profile unused;
    if (options->log_total > 0)
        return options->log_total;
    return session_profile(&dev, &unused) == OUTCOME_DONE && dev.caps.is_cpu ? LOG_TOTAL_CPU
                                                                             : LOG_TOTAL;
}

int bench_batch(const struct bench_options *options, struct bench_report *report) {
    struct memory m;
    int log_total = log_of_total(options), verify = mpgpu_conf.verify;
    uint64_t words = UINT64_C(1) << (log_total - 5);
    int open = open_memory(&m, words);
    printf(
        "2^%d bits of operands in all; us on the device, share of a copy's bandwidth; checked:\n",
        log_total);
    printf("%-8s %9s %8s %4s %8s %4s %8s %8s %8s %8s %8s %8s\n", "bits", "numbers", "1-Add", "",
           "6-Add", "", "1-Mul", "Poly", "1-Add", "6-Add", "1-Mul", "Poly");
    for (int k = 0; k < options->sizes && open; k++) {
        uint64_t bits = options->bits[k];
        if (bits % 64 == 0 && bits / 32 <= words && bits / 32 <= BATCH_MOST_WORDS)
            measure(options, &m, bits, report);
    }
    close_memory(&m);
    mpgpu_conf.verify = verify;
    return open ? 0 : 2;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests expressions (include/mpgpu.h): compares each number of the results with GMP's. Runs fixed
 * and random programs, in one launch or in several, with and without a device. Lengths are near the
 * limits of a work-item and a work-group. Results may replace operands. Invalid calls must be
 * refused. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

enum { MOST_NODES = 64, MOST_OPERANDS = MPGPU_EXPRESSION_OPERANDS, MOST_RESULTS = 3, TIMES = 8 };

/* ---- a program (sequence of operations)
 *
 * The library records it as an expression, and this test as a list of nodes, one for each
 * operation. The test computes each node by mpz_t, modulo 2^(64 limbs). */

struct program {
    mpgpu_expression *e;
    unsigned operands, nodes, results;
    struct {
        /* The node's operation. u: an operand of the program; + - *: sum, difference, product; l:
         * low half of the product; s: square; S: sum of several nodes; r: conversion to another
         * length. */
        char op;
        int u[MPGPU_TERMS];
        unsigned terms, minus, times;
        int there; /* the node's number in the library's expression */
    } node[MOST_NODES];
    int result[MOST_RESULTS];
};

static struct program begin(unsigned operands) {
    struct program p = {.operands = operands, .nodes = operands};
    ck_assert_ptr_nonnull(p.e = mpgpu_expression_create(operands));
    for (unsigned k = 0; k < operands; k++) {
        p.node[k].op = 'u';
        p.node[k].times = 1;
        p.node[k].there = mpgpu_expression_operand(p.e, k);
    }
    return p;
}

static unsigned longest(const struct program *p, const int *u, unsigned terms) {
    unsigned times = 0;
    for (unsigned k = 0; k < terms; k++)
        if (p->node[u[k]].times > times)
            times = p->node[u[k]].times;
    return times;
}

static int there(const struct program *p, int node) {
    return p->node[node].there;
}

static int record(struct program *p, char op, int u, int v) {
    int i = (int)p->nodes++, terms[] = {u, v}, a = there(p, u), b = there(p, v);
    p->node[i].op = op;
    p->node[i].terms = 2;
    memcpy(p->node[i].u, terms, sizeof terms);
    p->node[i].times = (op == '*' || op == 's' ? 2 : 1) * longest(p, terms, op == 's' ? 1 : 2);
    p->node[i].there = op == '+'   ? mpgpu_expression_add(p->e, a, b)
                       : op == '-' ? mpgpu_expression_sub(p->e, a, b)
                       : op == '*' ? mpgpu_expression_mul(p->e, a, b)
                       : op == 'l' ? mpgpu_expression_mullo(p->e, a, b)
                                   : mpgpu_expression_sqr(p->e, a);
    ck_assert_int_ge(p->node[i].there, 0);
    return i;
}

static int record_sum(struct program *p, const int *u, unsigned terms, unsigned minus) {
    int i = (int)p->nodes++, of[MPGPU_TERMS];
    p->node[i].op = 'S';
    p->node[i].terms = terms;
    p->node[i].minus = minus;
    p->node[i].times = longest(p, u, terms);
    for (unsigned k = 0; k < terms; k++) {
        p->node[i].u[k] = u[k];
        of[k] = there(p, u[k]);
    }
    p->node[i].there = mpgpu_expression_sum(p->e, of, terms, minus);
    ck_assert_int_ge(p->node[i].there, 0);
    return i;
}

static int record_resize(struct program *p, int u, unsigned times) {
    int i = (int)p->nodes++;
    p->node[i].op = 'r';
    p->node[i].u[0] = u;
    p->node[i].times = times;
    p->node[i].there = mpgpu_expression_resize(p->e, there(p, u), times);
    ck_assert_int_ge(p->node[i].there, 0);
    return i;
}

static void want(struct program *p, int node) {
    ck_assert_int_eq(mpgpu_expression_result(p->e, there(p, node)), (int)p->results);
    p->result[p->results++] = node;
}

static void finish(struct program *p) {
    ck_assert_int_eq(mpgpu_expression_finish(p->e), 0);
    for (unsigned k = 0; k < p->results; k++)
        ck_assert_uint_eq(mpgpu_expression_times(p->e, k), p->node[p->result[k]].times);
}

/* ---- the expected results for one number of the batch */

static void compute_node(const struct program *p, mpz_t *x, unsigned i, size_t n) {
    const int *u = p->node[i].u;
    switch (p->node[i].op) {
    case '+':
        mpz_add(x[i], x[u[0]], x[u[1]]);
        break;
    case '-':
        mpz_sub(x[i], x[u[0]], x[u[1]]);
        break;
    case '*':
    case 'l':
        mpz_mul(x[i], x[u[0]], x[u[1]]);
        break;
    case 's':
        mpz_mul(x[i], x[u[0]], x[u[0]]);
        break;
    case 'r':
        mpz_set(x[i], x[u[0]]);
        break;
    case 'S':
        mpz_set_ui(x[i], 0);
        for (unsigned k = 0; k < p->node[i].terms; k++)
            if (p->node[i].minus >> k & 1)
                mpz_sub(x[i], x[i], x[u[k]]);
            else
                mpz_add(x[i], x[i], x[u[k]]);
    }
    mpz_fdiv_r_2exp(x[i], x[i], p->node[i].times * n * GMP_NUMB_BITS);
}

static void expect_number(const struct program *p, mpz_t *x, size_t n, size_t number,
                          mp_limb_t *const *rp, const mp_limb_t *const *up) {
    for (unsigned k = 0; k < p->operands; k++)
        mpz_import(x[k], n, -1, sizeof(mp_limb_t), 0, 0, up[k] + number * n);
    for (unsigned i = p->operands; i < p->nodes; i++)
        compute_node(p, x, i, n);
    for (unsigned k = 0; k < p->results; k++) {
        size_t rn = p->node[p->result[k]].times * n;
        for (size_t j = 0; j < rn; j++)
            ck_assert_msg(
                rp[k][number * rn + j] == (mp_limb_t)mpz_getlimbn(x[p->result[k]], (mp_size_t)j),
                "result %u of numbers of %zu limbs: number %zu limb %zu", k, n, number, j);
    }
}

/* ---- runs */

static int want_device; /* 1 if results must be on the device */

struct run {
    mpgpu_batch *u[MOST_OPERANDS], *r[MOST_RESULTS];
    mp_limb_t *up[MOST_OPERANDS], *rp[MOST_RESULTS];
};

/* Creates operands and results. If `in_place` is true and the first result has the operands'
 * length, this result replaces the first operand. */
static struct run operands_of(const struct program *p, size_t count, size_t n, bool in_place) {
    struct run run;
    for (unsigned k = 0; k < p->operands; k++) {
        run.up[k] = limbs(count * n);
        for (size_t i = 0; i < count; i++)
            testing_limbs(run.up[k] + i * n, n);
        ck_assert_ptr_nonnull(run.u[k] = mpgpu_batch_create(count, n));
        ck_assert_int_eq(mpgpu_batch_set(run.u[k], run.up[k]), 0);
    }
    for (unsigned k = 0; k < p->results; k++) {
        size_t rn = p->node[p->result[k]].times * n;
        run.rp[k] = limbs(count * rn);
        run.r[k] = in_place && k == 0 && rn == n ? run.u[0] : mpgpu_batch_create(count, rn);
        ck_assert_ptr_nonnull(run.r[k]);
    }
    return run;
}

static void clear_run(const struct program *p, struct run *run) {
    for (unsigned k = 0; k < p->results; k++) {
        if (run->r[k] != run->u[0])
            mpgpu_batch_destroy(run->r[k]);
        free(run->rp[k]);
    }
    for (unsigned k = 0; k < p->operands; k++) {
        mpgpu_batch_destroy(run->u[k]);
        free(run->up[k]);
    }
}

static void compare(const struct program *p, size_t count, size_t n, bool in_place) {
    struct run run = operands_of(p, count, n, in_place);
    mpz_t x[MOST_NODES];
    ck_assert_msg(mpgpu_expression_run(p->e, run.r, run.u) == 0, "%s", mpgpu_error());
    for (unsigned k = 0; k < p->results; k++) {
        ck_assert_int_eq(mpgpu_batch_on_device(run.r[k]), want_device);
        ck_assert_int_eq(mpgpu_batch_get(run.rp[k], run.r[k]), 0);
    }
    for (unsigned i = 0; i < MOST_NODES; i++)
        mpz_init(x[i]);
    for (size_t i = 0; i < count; i++)
        expect_number(p, x, n, i, run.rp, (const mp_limb_t *const *)run.up);
    for (unsigned i = 0; i < MOST_NODES; i++)
        mpz_clear(x[i]);
    clear_run(p, &run);
}

static void compare_both(const struct program *p, size_t count, size_t n) {
    compare(p, count, n, false);
    compare(p, count, n, true);
}

/* ---- programs */

/* Returns a program for (a a + b) (b b + b) + a b. Of each product only the low half is
 * computed. */
static struct program polynomial(void) {
    struct program p = begin(2);
    int u = record(&p, '+', record(&p, 'l', 0, 0), 1),
        v = record(&p, '+', record(&p, 'l', 1, 1), 1);
    want(&p, record(&p, '+', record(&p, 'l', u, v), record(&p, 'l', 0, 1)));
    finish(&p);
    return p;
}

/* Returns a program that contains all operations but the low product, has numbers up to four times
 * as long as the operands, and has three results. */
static struct program everything(void) {
    struct program p = begin(3);
    int square = record(&p, 's', 0, 0), sum = record(&p, '+', square, 1);
    int product = record(&p, '*', record(&p, '-', sum, 2), square);
    int cut = record_resize(&p, product, 1), terms[] = {record(&p, 'l', cut, 1), 0, 1, 2, 2};
    want(&p, record_sum(&p, terms, 5, 19));
    want(&p, product);
    want(&p, record_resize(&p, cut, 2));
    finish(&p);
    return p;
}

static int any(const struct program *p) {
    return (int)testing_below(p->nodes);
}

/* Returns a random program of up to `nodes` operations. Each node's numbers have at most TIMES
 * times the operands' limbs. */
static struct program random_program(unsigned nodes) {
    static const char operations[] = "++--*llsSSr";
    struct program p = begin(1 + (unsigned)testing_below(MOST_OPERANDS));
    nodes += p.nodes;
    /* the library may add a node to the expression to extend an operand; the program's list has no
     * such nodes */
    while (p.nodes < nodes && p.node[p.nodes - 1].there + 2 * MPGPU_TERMS < MOST_NODES) {
        char op = operations[testing_below(sizeof operations - 1)];
        int u[MPGPU_TERMS];
        for (unsigned k = 0; k < MPGPU_TERMS; k++)
            u[k] = any(&p);
        unsigned times = longest(&p, u, op == 's' ? 1 : 2);
        if ((op == '*' || op == 's') && 2 * times > TIMES)
            continue;
        if (op == 'r')
            record_resize(&p, u[0], 1 + (unsigned)testing_below(4));
        else if (op == 'S')
            record_sum(&p, u, 1 + (unsigned)testing_below(MPGPU_TERMS),
                       (unsigned)testing_below(1 << MPGPU_TERMS));
        else
            record(&p, op, u[0], u[1]);
    }
    want(&p, (int)p.nodes - 1);
    for (unsigned k = (unsigned)testing_below(MOST_RESULTS); k > 0; k--)
        want(&p, any(&p));
    finish(&p);
    return p;
}

static void compare_random(unsigned programs, unsigned nodes, size_t most_limbs) {
    for (unsigned k = 0; k < programs; k++) {
        struct program p = random_program(1 + (unsigned)testing_below(nodes));
        for (int turn = 0; turn < 3; turn++)
            compare_both(&p, 1 + testing_below(20), 1 + testing_below(most_limbs));
        mpgpu_expression_destroy(p.e);
    }
}

/* ---- tests */

/* Returns true if the test can afford expressions of many lengths. For each length the library
 * compiles kernels, which takes seconds on a CPU. So tests on a CPU use few lengths, unless
 * MPGPU_TEST_BLOCKS=1. */
static bool has_time(void) {
    struct gpu_device dev;
    struct profile unused;
    ck_assert_int_eq(session_profile(&dev, &unused), OUTCOME_DONE);
    return !dev.caps.is_cpu || testing_option("MPGPU_TEST_BLOCKS", 0);
}

START_TEST(in_one_launch) {
    static const size_t sizes[] = {9,  33, 1,  4,  5,  7,   8,   12,  16, 31,
                                   32, 63, 64, 65, 97, 128, 129, 255, 256};
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    struct program p = polynomial();
    for (size_t i = 0; i < (has_time() ? sizeof sizes / sizeof *sizes : 2); i++) {
        compare_both(&p, 1 + testing_below(200), sizes[i]);
        compare(&p, 1, sizes[i], false);
    }
    mpgpu_expression_destroy(p.e);
}
END_TEST

START_TEST(unchecked) {
    static const size_t sizes[] = {9, 1, 2, 3, 4, 6, 8, 10, 16, 17, 31, 32, 33, 63, 64, 65};
    want_device = 1;
    use_backend(backends[_i], VERIFY_OFF);
    struct program p = everything();
    for (size_t i = 0; i < (has_time() ? sizeof sizes / sizeof *sizes : 1); i++)
        compare_both(&p, 1 + testing_below(100), sizes[i]);
    mpgpu_expression_destroy(p.e);
}
END_TEST

/* Tests expressions that need several launches, because they have too many nodes for local memory
 * or too long numbers. With the kernels for CPUs every expression needs several launches. */
START_TEST(launch_by_launch) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    struct program p = begin(2);
    int x = record(&p, 'l', 0, 1);
    for (int k = 0; k < 6; k++)
        x = record(&p, k % 2 ? 'l' : '-', record(&p, '+', x, k % 3 ? 0 : 1), x);
    want(&p, x);
    finish(&p);
    for (size_t n = 1; n < 60; n += 1 + testing_below(9))
        compare_both(&p, 1 + testing_below(50), n);
    mpgpu_expression_destroy(p.e);
    p = everything();
    compare_both(&p, 3, 129);
    mpgpu_expression_destroy(p.e);
}
END_TEST

START_TEST(random_on_device) {
    use_backend(backends[_i], VERIFY_DEVICE);
    want_device = 1;
    if (has_time()) {
        compare_random(10, 12, 40);
        compare_random(4, 8, 100);
    } else
        compare_random(1, 4, 1);
}
END_TEST

START_TEST(verified_by_gmp) {
    want_device = 1;
    use_backend(backends[_i], _i % 2 ? VERIFY_RESIDUE : VERIFY_FULL);
    struct program p = everything();
    compare_both(&p, 1 + testing_below(50), 9);
    mpgpu_expression_destroy(p.e);
}
END_TEST

START_TEST(by_gmp) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_conf.stats = _i ? STATS_TEXT : STATS_OFF;
    want_device = 0;
    compare_random(200, 30, 40);
}
END_TEST

/* ---- expressions that must be refused */

static void expect_refused(mpgpu_expression *e, int result) {
    ck_assert_int_eq(result, -1);
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_int_eq(mpgpu_expression_finish(e), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_add(e, 0, 0), -1); /* from then on */
    mpgpu_expression_destroy(e);
}

static mpgpu_expression *created(void) {
    mpgpu_expression *e = mpgpu_expression_create(2);
    ck_assert_ptr_nonnull(e);
    return e;
}

START_TEST(bad_recording) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    int one[MPGPU_TERMS + 1] = {0};
    ck_assert_ptr_null(mpgpu_expression_create(0));
    ck_assert_ptr_null(mpgpu_expression_create(MPGPU_EXPRESSION_OPERANDS + 1));
    ck_assert_int_eq(mpgpu_expression_add(NULL, 0, 0), -1);
    ck_assert_int_eq(mpgpu_expression_result(NULL, 0), -1);
    ck_assert_int_eq(mpgpu_expression_finish(NULL), MPGPU_ARGUMENTS);
    mpgpu_expression_destroy(NULL);
    mpgpu_expression *e = created();
    expect_refused(e, mpgpu_expression_operand(e, 2));
    e = created();
    expect_refused(e, mpgpu_expression_mul(e, 0, 2));
    e = created();
    expect_refused(e, mpgpu_expression_mul(e, -1, 0));
    e = created();
    expect_refused(e, mpgpu_expression_sum(e, one, 0, 0));
    e = created();
    expect_refused(e, mpgpu_expression_sum(e, one, MPGPU_TERMS + 1, 0));
    e = created();
    expect_refused(e, mpgpu_expression_sum(e, NULL, 1, 0));
    e = created();
    expect_refused(e, mpgpu_expression_resize(e, 0, 0));
    e = created();
    expect_refused(e, mpgpu_expression_resize(e, 0, 9));
    e = created();
    int x = 0;
    for (int k = 0; k < 3; k++)
        x = mpgpu_expression_sqr(e, x);
    expect_refused(e, mpgpu_expression_sqr(e, x)); /* 16 n limbs */
    e = created();
    for (int k = 2; k < MOST_NODES; k++)
        ck_assert_int_eq(mpgpu_expression_add(e, 0, 1), k);
    expect_refused(e, mpgpu_expression_add(e, 0, 1));
    e = created();
    for (int k = 0; k < MPGPU_EXPRESSION_RESULTS; k++)
        ck_assert_int_eq(mpgpu_expression_result(e, 0), k);
    expect_refused(e, mpgpu_expression_result(e, 0));
    e = created();
    expect_refused(e, mpgpu_expression_finish(e) ? -1 : 0); /* no result */
}
END_TEST

START_TEST(bad_runs) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    struct program p = polynomial();
    mpgpu_batch *u[] = {mpgpu_batch_create(3, 5), mpgpu_batch_create(3, 5)};
    mpgpu_batch *other[] = {u[0], mpgpu_batch_create(4, 5)}, *r[] = {mpgpu_batch_create(3, 5)};
    mpgpu_batch *wide[] = {mpgpu_batch_create(3, 10)}, *none[] = {NULL, NULL};
    mpgpu_expression *e = mpgpu_expression_create(2);
    ck_assert_int_eq(mpgpu_expression_run(NULL, r, u), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(e, r, u), MPGPU_ARGUMENTS); /* not finished */
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_int_eq(mpgpu_expression_run(p.e, NULL, u), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(p.e, r, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(p.e, none, u), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(p.e, r, none), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(p.e, r, other), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(p.e, wide, u), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_expression_run(p.e, r, u), 0);
    ck_assert_int_eq(mpgpu_expression_add(p.e, 0, 0), -1); /* finished */
    ck_assert_int_eq(mpgpu_expression_result(e, 0), 0);
    ck_assert_int_eq(mpgpu_expression_result(e, 0), 1);
    ck_assert_int_eq(mpgpu_expression_finish(e), 0);
    ck_assert_int_eq(mpgpu_expression_run(e, (mpgpu_batch *[]){r[0], r[0]}, u), MPGPU_ARGUMENTS);
    ck_assert_uint_eq(mpgpu_expression_times(e, 2), 0);
    mpgpu_expression_destroy(e);
    mpgpu_expression_destroy(p.e);
    mpgpu_batch_destroy(u[0]);
    mpgpu_batch_destroy(u[1]);
    mpgpu_batch_destroy(other[1]);
    mpgpu_batch_destroy(r[0]);
    mpgpu_batch_destroy(wide[0]);
}
END_TEST

int main(void) {
    choose_batches_alone();
    return run_on_backends("expression",
                           TESTS(PER_DEVICE(in_one_launch, 1), PER_DEVICE(unchecked, 1),
                                 PER_DEVICE(launch_by_launch, 1), PER_DEVICE(random_on_device, 1),
                                 PER_DEVICE(verified_by_gmp, 1), LOOP(by_gmp, 2),
                                 ONCE(bad_recording), ONCE(bad_runs)),
                           NULL);
}

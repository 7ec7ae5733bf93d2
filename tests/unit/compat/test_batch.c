/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests batch calls (include/mpgpu.h) on the cases of tests/support/job_cases.h, compared with GMP:
 * with and without a device, larger than the device's memory, and after fork. Also tests invalid
 * calls. tests/unit/job/test_jobs.c tests more lengths. */
#include <string.h>

#include "include/mpgpu.h"
#include "tests/support/backends.h"
#include "tests/support/job_cases.h"

static enum { HOST, DEVICE, EITHER } want; /* where results are */

/* ---- the calls */

/* Computes the task's sum by mpgpu_batch_add or mpgpu_batch_sub if it is a sum or difference of two
 * terms, otherwise by mpgpu_batch_sum. */
static int call_sum(const struct batch_task *t) {
    const uint64_t minus = t->parameter[JOB_MINUS];
    mpgpu_batch *const *u = t->u, *const *r = t->r;
    if (t->operands == 2 && minus == 0)
        return mpgpu_batch_add(r[0], r[1], u[0], u[1]);
    if (t->parameter[JOB_BORROWS])
        return mpgpu_batch_sub(r[0], r[1], u[0], u[1]);
    return mpgpu_batch_sum(r[0], r[1], u, t->operands, (unsigned)minus);
}

static int call_product(const struct batch_task *t) {
    if (t->op == JOB_batch_mullo)
        return mpgpu_batch_mullo(t->r[0], t->u[0], t->u[1]);
    return t->u[0] == t->u[1] ? mpgpu_batch_sqr(t->r[0], t->u[0])
                              : mpgpu_batch_mul(t->r[0], t->u[0], t->u[1]);
}

/* Calls the modular operation of the task. Passes the moduli in a modulus object. */
static int call_modular(const struct batch_task *t) {
    mpgpu_batch *const r = t->r[0], *const u = t->u[0], *const v = t->u[1];
    mpgpu_batch_modulus *m = mpgpu_batch_modulus_create(t->u[JOB_MODULUS]);
    int error = -1;
    if (t->op == JOB_batch_mod)
        error = mpgpu_batch_mod(r, u, m);
    else if (t->op == JOB_batch_mod_add)
        error = mpgpu_batch_mod_add(r, u, v, m);
    else if (t->op == JOB_batch_mod_sub)
        error = mpgpu_batch_mod_sub(r, u, v, m);
    else if (t->op == JOB_batch_mod_mul)
        error = u == v ? mpgpu_batch_mod_sqr(r, u, m) : mpgpu_batch_mod_mul(r, u, v, m);
    else if (t->op == JOB_batch_mod_pow)
        error = mpgpu_batch_mod_pow(r, u, v, m);
    else if (t->op == JOB_batch_mod_pow_sec)
        error = mpgpu_batch_mod_pow_sec(r, u, v, m);
    mpgpu_batch_modulus_destroy(m);
    return error;
}

/* Computes inverses. Passes the moduli in a modulus object or as a batch, chosen at random. */
static int call_inverse(const struct batch_task *t) {
    if (testing_below(2))
        return mpgpu_batch_mod_inv(t->r[0], t->r[1], t->u[0], t->u[1]);
    mpgpu_batch_modulus *m = mpgpu_batch_modulus_create(t->u[1]);
    const int error = mpgpu_batch_mod_invert(t->r[0], t->r[1], t->u[0], m);
    mpgpu_batch_modulus_destroy(m);
    return error;
}

/* Returns true if mpgpu.h has a function mpgpu_batch_... for this operation. Other operations are
 * internal, or belong to expressions, matrices and polynomials (test_expression.c, test_matrix.c,
 * test_poly.c). */
static bool has_call(int op) {
    return op != JOB_batch_mod_known && op != JOB_batch_expression && op != JOB_matrix_mul &&
           op != JOB_matrix_solve && op != JOB_poly_mul;
}

static int call(const struct batch_task *t) {
    switch (t->op) {
    case JOB_batch_sum:
        return call_sum(t);
    case JOB_batch_mul:
    case JOB_batch_mullo:
        return call_product(t);
    case JOB_batch_cmp:
        return mpgpu_batch_cmp(t->r[0], t->u[0], t->u[1]);
    case JOB_batch_select:
        return mpgpu_batch_select(t->r[0], t->u[2], t->u[0], t->u[1]);
    case JOB_batch_tdiv_qr:
        return mpgpu_batch_tdiv_qr(t->r[0], t->r[1], t->u[0], t->u[1]);
    case JOB_batch_gcd:
        return mpgpu_batch_gcd(t->r[0], t->u[0], t->u[1]);
    case JOB_batch_mod_inv:
        return call_inverse(t);
    default:
        return call_modular(t);
    }
}

/* ---- comparisons */

/* Makes a test case and its batches. mpgpu_batch_sub takes only two terms, so a difference gets no
 * more. */
static void open_case(struct job_case *c, int op, size_t count, size_t n, unsigned variant) {
    if (op == JOB_batch_sum && variant & JOB_CASE_FOR_ALL && !(variant & JOB_CASE_BARRETT))
        variant &= ~(unsigned)JOB_CASE_LONGER;
    job_case_make(c, (enum job_op)op, count, n, variant, testing_below(UINT32_MAX));
    job_case_open(c);
}

static void close_case(struct job_case *c) {
    job_case_close(c);
    job_case_free(c);
}

static void compare(int op, size_t count, size_t n, unsigned variant) {
    struct job_case c;
    open_case(&c, op, count, n, variant);
    const int error = call(&c.task);
    ck_assert_msg(error == 0, "%s: %s", job_case_name((enum job_op)op), mpgpu_error());
    for (unsigned k = 0; k < c.task.results; k++)
        ck_assert_msg(!c.task.r[k] || want == EITHER ||
                          mpgpu_batch_on_device(c.task.r[k]) == (want == DEVICE),
                      "%s of %zu limbs: not where it should be", job_case_name((enum job_op)op), n);
    job_case_check(&c);
    close_case(&c);
}

static void compare_calls(size_t most, size_t n, unsigned variants) {
    for (int op = 0; op < JOB_BATCH_OPS; op++)
        for (unsigned i = 0; has_call(op) && i < variants; i++)
            compare(op, 1 + testing_below(most), n, testing_below(JOB_CASE_VARIANTS));
}

/* Checks batch products of numbers that are in host memory. The limbs before and after the result
 * must not change. */
static void compare_limbs(size_t count, size_t n, unsigned variant) {
    for (int op = JOB_batch_mul; op <= JOB_batch_mullo; op++) {
        struct job_case c;
        const size_t rn = count * n * (op == JOB_batch_mul ? 2 : 1);
        mp_limb_t *rp = guarded(rn);
        open_case(&c, op, count, n, variant);
        const int error = op == JOB_batch_mullo
                              ? mpgpu_batch_mullo_n(rp, c.up[0], c.up[1], n, count)
                          : c.is_second_same ? mpgpu_batch_sqr_n(rp, c.up[0], n, count)
                                             : mpgpu_batch_mul_n(rp, c.up[0], c.up[1], n, count);
        ck_assert_int_eq(error, 0);
        ck_assert_msg(memcmp(rp, c.right[0], rn * sizeof *rp) == 0, "%zu numbers of %zu limbs",
                      count, n);
        check_guards(rp, rn);
        close_case(&c);
    }
}

/* Returns `count`, or a smaller count if every launch is slow, as under compute-sanitizer. */
static size_t many(size_t count) {
    return testing_option("MPGPU_TEST_PRODUCTS", 100) < 100 ? count / 50 : count;
}

static void compare_short(void) {
    for (size_t n = 1; n <= 21; n++) {
        compare_calls(n < 10 ? 140 : 20, n, 4);
        for (unsigned variant = 0; variant <= JOB_CASE_SAME; variant++)
            compare_limbs(1 + testing_below(300), n, variant);
    }
    compare_calls(2, 129, 2); /* moduli of 129 limbs are too long for all methods but Barrett's */
    for (int op = JOB_batch_sum; op <= JOB_batch_mullo; op++) {
        compare(op, many(100000), 1, 0);
        compare(op, many(3001), 32, JOB_CASE_SAME);
    }
    compare_limbs(many(100000), 1, 0);
    compare_limbs(many(3001), 32, JOB_CASE_SAME);
}

static void use_device(int i, int verify) {
    want = backends[i].kernels_of_gpus ? EITHER : DEVICE;
    use_backend(backends[i], verify);
}

static void use_none(void) {
    want = HOST;
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
}

START_TEST(short_numbers) {
    use_device(_i, VERIFY_DEVICE);
    compare_short();
}
END_TEST

/* Numbers longer than the device can compute must be computed by GMP. */
START_TEST(too_long) {
    use_backend(backends[_i], VERIFY_DEVICE);
    want = HOST;
    compare(JOB_batch_mul, 2, 4097, 0);
    compare(JOB_batch_mullo, 2, 4097, JOB_CASE_SAME);
}
END_TEST

/* If GMP computes a batch because its numbers are too long, and the device computes GMP's products,
 * the batch must count as one call. */
START_TEST(counts_once) {
    struct job_case c;
    use_backend(backends[_i], VERIFY_DEVICE);
    open_case(&c, JOB_batch_mul, 3, 4097, 0);
    ck_assert_int_eq(mpgpu_wait(), 1);
    thresholds_set(PROFILE_mul, 1);
    const unsigned long sent = call_sent();
    ck_assert_int_eq(call(&c.task), 0);
    ck_assert_uint_eq(call_sent(), sent + 1);
    job_case_check(&c);
    close_case(&c);
}
END_TEST

START_TEST(by_gmp) {
    use_none();
    mpgpu_conf.stats = _i ? STATS_TEXT : STATS_OFF;
    compare_short();
    compare(JOB_batch_mul, 3, 4097, 0);
}
END_TEST

/* Tests operands of 12 MiB that, with the result, exceed the device memory that the option `memory`
 * allows. One call must compute them in pieces and leave the results on the host. */
START_TEST(in_pieces) {
    static const struct {
        enum job_op op;
        unsigned variant;
    } calls[] = {{JOB_batch_mul, 0},
                 {JOB_batch_mul, JOB_CASE_SAME},
                 {JOB_batch_sum, JOB_CASE_IN_PLACE | JOB_CASE_BARRETT},
                 {JOB_batch_select, 0}};
    use_backend(backends[_i / 2], _i % 2 ? VERIFY_FULL : VERIFY_DEVICE);
    mpgpu_conf.memory = 18 << 20;
    mpgpu_log_level = 0;
    want = HOST;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const unsigned long sent = call_sent();
        compare(calls[i].op, 24001, 64, calls[i].variant);
        ck_assert_uint_eq(call_sent(), sent + 1);
    }
}
END_TEST

/* In a child of fork, a batch on the device is lost: calls return MPGPU_LOST. After the child has
 * set the batch again, GMP computes. */
START_TEST(in_a_child) {
    struct job_case c;
    int status;
    use_backend(backends[_i], VERIFY_DEVICE);
    open_case(&c, JOB_batch_sum, 3, 5, 0);
    const struct batch_task *t = &c.task;
    pid_t child = fork();
    if (child == 0) {
        mp_limb_t rp[15];
        if (call(t) != MPGPU_LOST || mpgpu_batch_get(rp, t->u[0]) != MPGPU_LOST ||
            mpgpu_batch_set(t->u[0], c.up[0]) != 0 || mpgpu_batch_set(t->u[1], c.up[1]) != 0 ||
            call(t) != 0 || mpgpu_batch_on_device(t->r[0]))
            _exit(1);
        job_case_check(&c);
        close_case(&c);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(call(t), 0);
    job_case_check(&c);
    close_case(&c);
}
END_TEST

/* ---- calls that must be refused */

static void expect_refused(const struct batch_task *t, const char *what, unsigned k) {
    ck_assert_msg(call(t) == MPGPU_ARGUMENTS, "%s is called with %s %u", job_case_name(t->op), what,
                  k);
    ck_assert_str_ne(mpgpu_error(), "");
}

/* Replaces each operand and result by a batch of another count and length, or makes both results
 * the same. The call must be refused and must change nothing. tests/unit/compat/test_null.c
 * tests missing operands. */
START_TEST(bad_arguments) {
    mp_limb_t ones[4 * 30];
    use_none();
    mpgpu_batch *other = mpgpu_batch_create(4, 30);
    memset(ones, -1, sizeof ones);
    ck_assert_int_eq(mpgpu_batch_set(other, ones), 0);
    for (int op = 0; op < JOB_BATCH_OPS; op++) {
        struct job_case c;
        if (!has_call(op))
            continue;
        open_case(&c, op, 3, 5, 0);
        for (unsigned k = 0; k < c.task.operands && k != JOB_KNOWN; k++)
            if (op != JOB_batch_mod || k != 1) {
                struct batch_task bad = c.task;
                bad.u[k] = other;
                expect_refused(&bad, "another operand", k);
            }
        for (unsigned k = 0; k < c.task.results; k++) {
            struct batch_task bad = c.task;
            bad.r[k] = other;
            expect_refused(&bad, "another result", k);
            bad = c.task;
            bad.r[k] = c.task.results > 1 ? bad.r[1 - k] : bad.r[k];
            if (c.task.results > 1)
                expect_refused(&bad, "the same results", k);
        }
        ck_assert_int_eq(call(&c.task), 0);
        job_case_check(&c);
        close_case(&c);
    }
    mpgpu_batch_destroy(other);
}
END_TEST

/* Tests invalid calls of other kinds than the test bad_arguments, which replaces operands and
 * results. */
START_TEST(bad_calls) {
    use_none();
    mpgpu_batch *u = mpgpu_batch_create(3, 5), *one = mpgpu_batch_create(1, 5);
    mpgpu_batch *flags = mpgpu_batch_create(3, 1), *limb = mpgpu_batch_create(3, 1), *none[1] = {u};
    const mp_limb_t two[5] = {2};
    mp_limb_t limbs[15];
    ck_assert_str_eq(mpgpu_error(), "");
    ck_assert_ptr_null(mpgpu_batch_create(0, 5));
    ck_assert_ptr_null(mpgpu_batch_create(5, 0));
    ck_assert_ptr_null(mpgpu_batch_create(SIZE_MAX / 2, 5));
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_int_eq(mpgpu_batch_sum(u, NULL, none, 0, 0), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_sum(u, NULL, none, MPGPU_TERMS + 1, 0), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_add(limb, flags, flags, limb), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_gcd(u, u, one), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(NULL, NULL, u, u), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mul_n(limbs, limbs, limbs, 5, 0), 0);
    ck_assert_ptr_null(mpgpu_batch_modulus_create(one)); /* zeros */
    ck_assert_str_eq(mpgpu_error(), "division by zero");
    ck_assert_int_eq(mpgpu_batch_set(one, two), 0);
    mpgpu_batch_modulus *even = mpgpu_batch_modulus_create(one);
    ck_assert_int_eq(mpgpu_batch_mod_pow_sec(u, u, u, even), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, u, u, even), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, flags, u, even), 0);
    mpgpu_batch_modulus_destroy(even);
    mpgpu_batch_modulus_destroy(NULL);
    ck_assert_int_eq(mpgpu_batch_get(limbs, u), 0);
    ck_assert(mpn_zero_p(limbs, 15)); /* never set */
    ck_assert_uint_eq(mpgpu_batch_count(one), 1);
    mpgpu_batch_destroy(NULL);
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(one);
    mpgpu_batch_destroy(flags);
    mpgpu_batch_destroy(limb);
}
END_TEST

/* Sets a random divisor of a batch to zero: the call must return MPGPU_DIVIDE_BY_ZERO and change
 * nothing, even with results in place of operands. */
START_TEST(by_zero) {
    use_backend(_i % 2 ? (struct test_backend){"none", 0} : backends[_i / 2], VERIFY_DEVICE);
    for (int op = 0; op < JOB_BATCH_OPS; op++) {
        struct job_case c;
        if (op != JOB_batch_tdiv_qr && op != JOB_batch_mod_inv)
            continue;
        open_case(&c, op, 77, 5, JOB_CASE_IN_PLACE);
        memset(c.up[1] + 5 * testing_below(77), 0, 5 * sizeof *c.up[1]);
        ck_assert_int_eq(mpgpu_batch_set(c.task.u[1], c.up[1]), 0);
        for (unsigned k = 0; k < 2; k++) /* records the results' old values */
            if (c.task.r[k] != c.task.u[0])
                ck_assert_int_eq(mpgpu_batch_get(c.right[k], c.task.r[k]), 0);
            else
                memcpy(c.right[k], c.up[0], batch_size(c.task.u[0]) * sizeof *c.up[0]);
        for (int turn = 0; turn < 3; turn++)
            ck_assert_int_eq(
                op == JOB_batch_tdiv_qr
                    ? call(&c.task)
                    : mpgpu_batch_mod_inv(c.task.r[0], c.task.r[1], c.task.u[0], c.task.u[1]),
                MPGPU_DIVIDE_BY_ZERO);
        ck_assert_str_ne(mpgpu_error(), "");
        job_case_check(&c);
        close_case(&c);
    }
}
END_TEST

int main(void) {
    choose_batches_alone();
    return run_on_backends("batch",
                           TESTS(PER_DEVICE(short_numbers, 1), PER_DEVICE(too_long, 1),
                                 PER_DEVICE(counts_once, 1), PER_DEVICE(in_pieces, 2),
                                 PER_DEVICE(in_a_child, 1), LOOP(by_gmp, 2), ONCE(bad_arguments),
                                 ONCE(bad_calls), PER_DEVICE(by_zero, 2)),
                           NULL);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the operations of lib/job/ops.def by the kernels compiled as host C, compared with GMP.
 * Lengths are those at which the library changes from one kernel program to another. Some numbers
 * are computed by a team of work-items, and some work-groups have fewer numbers than teams. */
#include <string.h>

#include "kernels/matrix/matrix.h"
#include "kernels/modular/divide.h"
#include "lib/algorithms/powm.h"
#include "lib/modular/barrett_step.h"
#include "lib/modular/euclid.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"
#include "tests/support/composite_cases.h"

/* Releases the device's buffers, so that the next job allocates them with exactly the length
 * that it needs. */
static void forget_buffers(void) {
    with_device(NULL, NULL);
}

static void compare(enum job_op op, size_t count, size_t n, unsigned variant) {
    struct job_case c;
    forget_buffers();
    job_case_make(&c, op, count, n, variant, testing_below(UINT32_MAX));
    job_case_open(&c);
    ck_assert_msg(batch_task_perform(&c.task) == 0, "%s: %s", job_case_name(op), mpgpu_error());
    for (unsigned k = 0; k < c.task.results; k++)
        ck_assert_msg(!c.task.r[k] || mpgpu_batch_on_device(c.task.r[k]), "%s: by GMP",
                      job_case_name(op));
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

/* Opens the device in the kernel form that test loop i uses. Returns the index of the operation
 * that the loop tests. */
static int open_loop(int i) {
    open_form(i % KERNEL_FORMS, ALGORITHM_AUTO);
    return i / KERNEL_FORMS;
}

static bool is_power(enum job_op op) {
    return op == JOB_batch_mod_pow || op == JOB_batch_mod_pow_sec;
}

/* A matrix of `count` rows takes count^3 products, so fewer rows are tested; `rows` below has
 * larger matrices. */
static size_t count_of(enum job_op op, size_t count) {
    enum { MOST_ROWS = 18 };
    const bool is_matrix = op == JOB_matrix_mul || op == JOB_matrix_solve;
    return is_matrix && count > MOST_ROWS ? MOST_ROWS : count;
}

/* Tests each operation in random variants.  Kernels run in two ways: they record the values that
 * a later check needs, or they do not. */
START_TEST(batches) {
    static const size_t sizes[][2] = {{70, 1}, {33, 3}, {9, 4},  {9, 8}, {9, 9},
                                      {9, 18}, {5, 33}, {3, 64}, {2, 65}};
    const enum job_op op = (enum job_op)open_loop(_i);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned k = 0; k < 3 && (!is_power(op) || sizes[i][1] <= 10); k++) {
            mpgpu_conf.verify = k == 0 ? VERIFY_OFF : VERIFY_DEVICE;
            const unsigned variant = (unsigned)testing_below(JOB_CASE_VARIANTS);
            compare(op, count_of(op, sizes[i][0]), sizes[i][1],
                    k == 1 ? variant | JOB_CASE_BARRETT : variant & ~(unsigned)JOB_CASE_BARRETT);
        }
}
END_TEST

/* AS_OPENCL, CLUSTER and BOTH are masks of the kernel forms in which a row of the table is
 * tested.  BARRETT is a short name for a variant of the jobs. */
enum { AS_OPENCL = 1, CLUSTER = 2, BOTH = 3, BARRETT = JOB_CASE_BARRETT };

/* Rows with longer numbers. They use the programs, block sizes, transforms and tiles that short
 * numbers do not use. */
static const struct row {
    enum job_op op;
    unsigned forms;
    size_t count, n;
    unsigned variant;
} rows[] = {
    {JOB_batch_sum, BOTH, 3, 511, JOB_CASE_LONGER},
    {JOB_batch_sum, BOTH, 2, 1025, BARRETT | JOB_CASE_LONGER},
    {JOB_batch_sum, BOTH, 1, 2500, JOB_CASE_FOR_ALL},
    {JOB_batch_cmp, BOTH, 3, 1001, 0},
    {JOB_batch_select, BOTH, 3, 1001, 0},
    {JOB_batch_mul, BOTH, 3, 100, 0},
    {JOB_batch_mul, BOTH, 3, 129, JOB_CASE_SAME},
    {JOB_batch_mul, BOTH, 2, 256, 0},
    {JOB_batch_mullo, BOTH, 3, 255, 0},
    {JOB_batch_mullo, BOTH, 3, 300, JOB_CASE_SAME},
    {JOB_batch_mullo, BOTH, 2, 512, 0},
    {JOB_batch_mul, AS_OPENCL, 3, 257, 0},
    {JOB_batch_mul, AS_OPENCL, 3, 512, JOB_CASE_SAME},
    {JOB_batch_mul, AS_OPENCL, 2, 513, 0},
    {JOB_batch_mullo, AS_OPENCL, 2, 1023, 0},
    {JOB_batch_mul, AS_OPENCL, 2, 1025, 0},
    {JOB_batch_mul, AS_OPENCL, 1, 2047, JOB_CASE_SAME},
    {JOB_batch_mullo, AS_OPENCL, 1, 2049, 0},
    {JOB_batch_mul, AS_OPENCL, 1, 4096, 0},
    /* computed by matrix units that a work-group uses together */
    {JOB_batch_mullo, CLUSTER, 2, 30, 0},
    {JOB_batch_mullo, CLUSTER, 2, 257, 0},
    {JOB_batch_mul, CLUSTER, 1, 768, 0},
    {JOB_batch_mullo, CLUSTER, 2, 1024, 0},
    {JOB_batch_mullo, CLUSTER, 1, 1029, 0},
    {JOB_batch_mul, CLUSTER, 1, 2048, 0},
    {JOB_batch_mul, CLUSTER, 1, 4095, 0},
    {JOB_matrix_mul, BOTH, 130, 2, 0},
    {JOB_matrix_mul, BOTH, 2, 100, JOB_CASE_SAME},
    {JOB_matrix_mul, BOTH, 18, 190, 0},
    {JOB_matrix_mul, AS_OPENCL, 1, 66000, 0},
    {JOB_matrix_solve, BOTH, 7, 3, 0},
    {JOB_matrix_solve, BOTH, 7, 40, JOB_CASE_FOR_ALL},
    {JOB_batch_mod_inv, BOTH, 1, 280, BARRETT},
    {JOB_batch_tdiv_qr, BOTH, 2, 129, JOB_CASE_LONGER},
    {JOB_batch_tdiv_qr, BOTH, 2, 256, 0},
    {JOB_batch_tdiv_qr, BOTH, 2, 257, JOB_CASE_FOR_ALL},
    {JOB_batch_tdiv_qr, BOTH, 1, 512, 0},
    {JOB_batch_tdiv_qr, BOTH, 1, 513, 0},
    {JOB_batch_mod, BOTH, 3, MODULAR_MOST_WORDS / 2, JOB_CASE_LONGER},
    {JOB_batch_mod_mul, BOTH, 3, MODULAR_MOST_WORDS / 2, 0},
    {JOB_batch_mod_mul, BOTH, 2, 259, 0},
    {JOB_batch_mod_add, BOTH, 1, 1035, JOB_CASE_NORMAL},
    {JOB_batch_mod_pow, BOTH, 2, 17, 0},
    {JOB_batch_mod_pow, BOTH, 2, 33, JOB_CASE_FOR_ALL},
    {JOB_batch_mod_pow, BOTH, 1, 65, 0},
    {JOB_batch_mod_pow, BOTH, 2, 17, BARRETT},
    {JOB_matrix_mul, BOTH, MATRIX_UNITS_ROWS + 2, 1, JOB_CASE_LONGER},
    /* teams of more than 32 work-items */
    {JOB_batch_gcd, CLUSTER, 3, 561, 0},
    {JOB_batch_mod_inv, CLUSTER, 1, 561, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Tests each row of the table.  Powers are also tested with checks turned off: kernels then
 * record no residues. */
START_TEST(longer_numbers) {
    const struct row *row = &rows[open_loop(_i)];
    if (!(row->forms >> _i % KERNEL_FORMS & 1))
        return;
    compare(row->op, row->count, row->n, row->variant);
    mpgpu_conf.verify = VERIFY_OFF;
    if (is_power(row->op))
        compare(row->op, 1, row->n, row->variant);
}
END_TEST

/* Tests the longest numbers whose product one work-group computes (option algorithm:block). */
START_TEST(largest_blocks) {
    open_form(_i, ALGORITHM_BLOCK);
    compare(JOB_batch_mul, 2, 256, 0);
    compare(JOB_batch_mullo, 3, 511, 0);
    compare(JOB_batch_mullo, 2, 512, 0);
}
END_TEST

/* Tests batches that teams of work-items multiply, and matrices that rows of work-items multiply,
 * because the device has no matrix units for work-groups. */
START_TEST(batches_of_teams) {
    host_has_groups = false;
    open_form(1, ALGORITHM_AUTO);
    compare(JOB_batch_mul, 3, 257, 0);
    compare(JOB_batch_mullo, 3, 257, JOB_CASE_SAME);
    compare(JOB_batch_mul, 1, 512, 0);
    compare(JOB_matrix_mul, MATRIX_UNITS_ROWS + 2, 1, JOB_CASE_LONGER);
}
END_TEST

/* Tests operations that split a batch into pieces of at most three numbers; the last piece has
 * one number. */
START_TEST(in_pieces) {
    static const enum job_op ops[] = {JOB_batch_mod_mul, JOB_batch_mod, JOB_batch_mod_sub,
                                      JOB_batch_mod_pow};
    barrett_piece_bytes = 3 * 7 * 10 * sizeof(uint32_t);
    open_host(ALGORITHM_AUTO);
    for (int i = 0; i < 4; i++)
        compare(ops[i], 7, 5, JOB_CASE_BARRETT | JOB_CASE_LONGER);
}
END_TEST

/* Checks that a self-test has turned off the device capability whose kernels do nothing in this
 * test (host_lazy). */
static enum gpu_status check_lost_way(struct context *s, void *unused) {
    (void)unused;
    ck_assert(host_lazy[0] == 'b' ? !s->dev.caps.matrix_groups : !s->dev.caps.fast_doubles);
    return GPU_OK;
}

START_TEST(ways_that_err) {
    host_lazy = _i ? "batch_matrix_wide" : "modular_power_double";
    open_form(1, ALGORITHM_AUTO);
    /* checking the result would read memory that no kernel has written */
    mpgpu_conf.verify = VERIFY_OFF;
    with_device(forget_known, NULL);
    compare(_i ? JOB_batch_mul : JOB_batch_mod_pow, 1, _i ? 257 : MODULAR_LEAST_DOUBLE_WORDS / 2,
            0);
    with_device(check_lost_way, NULL);
}
END_TEST

/* ---- composite operations */

static enum outcome run(struct job *job) {
    forget_buffers();
    return job_run(job);
}

START_TEST(composites) {
    const enum job_op op = (enum job_op)(JOB_BATCH_OPS + open_loop(_i));
    const size_t most = op == JOB_powm                                      ? 40
                        : op == JOB_add || op == JOB_sub || op == JOB_mul_1 ? 10000
                                                                            : 400;
    for (size_t n = 1; n < most; n += 1 + n / 2) {
        struct composite_case c;
        composite_case_make(&c, op, n, testing_below(JOB_CASE_VARIANTS));
        const enum outcome outcome = composite_case_run(&c, run, "on the host");
        ck_assert_msg(outcome == (job_takes(&c.job) ? OUTCOME_DONE : OUTCOME_SIZE),
                      "%s of %zu limbs: outcome %d", job_case_name(op), n, outcome);
        composite_case_free(&c);
    }
}
END_TEST

/* Tests a power modulo 2^MERSENNE - 1, whose products are computed modulo this number. */
START_TEST(mersenne) {
    enum { MERSENNE = 8209, LIMBS = (MERSENNE + 63) / 64 };
    mp_limb_t m[LIMBS], b[LIMBS], r[LIMBS], first[FIRST_RECIPROCAL_LIMBS];
    const mp_limb_t exponent = 5;
    mpz_t right, modulus, base;
    open_form(_i, ALGORITHM_FFT);
    memset(m, 0xff, sizeof m);
    m[LIMBS - 1] >>= 64 * LIMBS - MERSENNE;
    testing_limbs(b, LIMBS);
    b[LIMBS - 1] &= m[LIMBS - 1] >> 1; /* a reduced base */
    mpz_init(right);
    mpz_powm_ui(right, mpz_roinit_n(base, b, LIMBS), exponent, mpz_roinit_n(modulus, m, LIMBS));
    const struct powm power = {r, b, &exponent, m, LIMBS, 1, LIMBS};
    struct job job = powm_job(&power, first);
    ck_assert_int_eq(run(&job), OUTCOME_DONE);
    for (size_t i = 0; i < LIMBS; i++)
        ck_assert_uint_eq(r[i], mpz_getlimbn(right, (mp_size_t)i));
    mpz_clear(right);
}
END_TEST

/* ---- kernels that the jobs above do not launch */

static enum gpu_status known_answers(struct context *s, void *unused) {
    const struct euclid_operation longest = {
        .kind = EUCLID_DIVIDE, .by_words = true, .count = 1, .words = DIVIDE_MOST_WORDS};
    forget_known(s, unused);
    ck_assert_int_eq(selftest_order(s), GPU_OK);
    ck_assert_int_eq(selftest_radix(s), GPU_OK);
    ck_assert_int_eq(selftest_tree(s), GPU_OK);
    ck_assert_int_eq(selftest_divide(s), GPU_OK);
    ck_assert_int_eq(selftest_mersenne(s), GPU_OK);
    ck_assert_int_eq(selftest_euclid(s, &longest), GPU_OK);
    return GPU_OK;
}

START_TEST(known) {
    open_form(_i, ALGORITHM_AUTO);
    with_device(known_answers, NULL);
}
END_TEST

/* Checks the kernel that counts zeros and even numbers in a batch of moduli. */
static enum gpu_status look(struct context *s, void *unused) {
    static const uint32_t v[] = {0, 0, 1, 0, 2, 0, 0, 5, 7, 7};
    struct euclid_found found;
    struct number numbers = number_up(s, SLOT_V, v, 10);
    (void)unused;
    ck_assert_int_eq(euclid_look(s, numbers.mem, 5, 2, &found), GPU_OK);
    ck_assert_uint_eq(found.zeros, 1);
    ck_assert_uint_eq(found.even, 3);
    return GPU_OK;
}

START_TEST(zeros_and_even_ones) {
    open_form(_i, ALGORITHM_AUTO);
    with_device(look, NULL);
}
END_TEST

void add_jobs(TCase *tests) {
    tcase_add_loop_test(tests, known, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, batches, 0, KERNEL_FORMS * JOB_BATCH_OPS);
    tcase_add_loop_test(tests, longer_numbers, 0, KERNEL_FORMS * ROWS);
    tcase_add_loop_test(tests, largest_blocks, 0, KERNEL_FORMS);
    tcase_add_test(tests, batches_of_teams);
    tcase_add_test(tests, in_pieces);
    tcase_add_loop_test(tests, ways_that_err, 0, 2);
    tcase_add_loop_test(tests, composites, 0, KERNEL_FORMS * (JOB_FIRST_ON_DEVICE - JOB_BATCH_OPS));
    tcase_add_loop_test(tests, mersenne, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, zeros_and_even_ones, 0, KERNEL_FORMS);
}

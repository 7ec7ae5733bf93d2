/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares every batch operation of lib/job/ops.def with GMP, with and without a device, and with
 * each kind of check. Operands have long carries; lengths are those at which the device changes
 * from one kernel program to another. An operand may be used twice, a result may replace an
 * operand, and one number may be the operand for all numbers of a batch. Invalid jobs must be
 * refused. tests/unit/compat/test_batch.c tests invalid calls. */
#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "compat/intercept/call.h"
#include "kernels/modular/euclid.h"
#include "lib/job/engine.h"
#include "lib/modular/euclid_plan.h"
#include "tests/support/backends.h"
#include "tests/support/job_cases.h"

/* Where results must be: on the host, on the device, or on either. EITHER is for numbers too long
 * for some operations, and for a CPU that uses the kernels for GPUs, which cannot compute long gcds
 * there. */
static enum { HOST, DEVICE, EITHER } want;

static void compare(enum job_op op, size_t count, size_t n, unsigned variant) {
    struct job_case c;
    job_case_make(&c, op, count, n, variant, testing_below(UINT32_MAX));
    job_case_open(&c);
    const int error = batch_task_perform(&c.task);
    ck_assert_msg(error == 0, "%s: %s", job_case_name(op), mpgpu_error());
    for (unsigned k = 0; k < c.task.results; k++)
        if (c.task.r[k] && want != EITHER)
            ck_assert_msg(mpgpu_batch_on_device(c.task.r[k]) == (want == DEVICE),
                          "%s of %zu limbs, variant %u: not where it should be", job_case_name(op),
                          n, variant);
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

static bool is_power(enum job_op op) {
    return op == JOB_batch_mod_pow || op == JOB_batch_mod_pow_sec;
}

/* Compares each operation with GMP, in `variants` random variants. */
static void compare_all(size_t count, size_t n, unsigned variants) {
    for (int op = 0; op < JOB_BATCH_OPS; op++)
        for (unsigned i = 0; i < variants; i++)
            compare((enum job_op)op, count, n, testing_below(JOB_CASE_VARIANTS));
}

static void use_device(int i, int verify) {
    want = backends[i].kernels_of_gpus ? EITHER : DEVICE;
    use_backend(backends[i], verify);
}

START_TEST(variants) {
    use_device(_i, VERIFY_DEVICE);
    for (int op = 0; op < JOB_BATCH_OPS; op++)
        for (unsigned variant = 0; variant < JOB_CASE_VARIANTS; variant++)
            compare((enum job_op)op, 1 + testing_below(40), 1 + testing_below(9), variant);
}
END_TEST

static void run_in_memory(struct job_case *c, mp_limb_t *const *up) {
    struct job job = c->job;
    for (unsigned k = 0; k < job.operands; k++)
        job.u[k].host = up[k];
    for (unsigned k = 0; k < job.results; k++)
        if (c->right[k])
            ck_assert_ptr_nonnull(job.r[k].host = malloc(job_bytes(&job.r[k])));
    const enum outcome outcome = job_run(&job);
    /* the kernels for GPUs may be unable to compute numbers of this length on a CPU */
    const bool may_be_refused = want == EITHER;
    ck_assert_msg(outcome == OUTCOME_DONE ||
                      (may_be_refused && (outcome == OUTCOME_SIZE || outcome == OUTCOME_MEMORY)),
                  "%s, variant %u: outcome %d", job_case_name(job.op), c->variant, outcome);
    for (unsigned k = 0; k < job.results; k++) {
        if (c->right[k] && outcome == OUTCOME_DONE)
            ck_assert_msg(memcmp(job.r[k].host, c->right[k], job_bytes(&job.r[k])) == 0,
                          "%s of %zu limbs, variant %u: result %u", job_case_name(job.op),
                          (size_t)job.u[0].n, c->variant, k);
        free(job.r[k].host);
    }
}

static void compare_in_memory(enum job_op op, size_t count, size_t n, unsigned variant) {
    struct job_case c;
    job_case_make(&c, op, count, n, variant, testing_below(UINT32_MAX));
    mp_limb_t *up[JOB_OPERANDS];
    memcpy(up, c.up, sizeof up);
    if (c.is_second_same)
        up[1] = up[0];
    run_in_memory(&c, up);
    job_case_free(&c);
}

/* Computes a power whose base and exponent begin at the same address but have different lengths. */
static void compare_at_one_address(unsigned variant) {
    struct job_case c;
    job_case_make(&c, JOB_batch_mod_pow, 1, 1 + testing_below(4), variant,
                  testing_below(UINT32_MAX));
    mp_limb_t *up[JOB_OPERANDS], *longer;
    memcpy(up, c.up, sizeof up);
    longer = job_bytes(&c.job.u[0]) > job_bytes(&c.job.u[1]) ? up[0] : up[1];
    up[0] = up[1] = longer;
    job_by_gmp(&c.job, c.right, (const mp_limb_t *const *)up);
    run_in_memory(&c, up);
    job_case_free(&c);
}

/* Computes jobs on numbers in host memory, as a server gets them from another server of its
 * group. */
START_TEST(in_memory) {
    use_device(_i, VERIFY_DEVICE);
    for (int op = 0; op < JOB_BATCH_OPS; op++)
        for (unsigned variant = 0; variant < JOB_CASE_VARIANTS; variant++)
            compare_in_memory((enum job_op)op, 1 + testing_below(40), 1 + testing_below(9),
                              variant);
    for (unsigned variant = 0; variant < JOB_CASE_VARIANTS; variant++)
        compare_at_one_address(variant);
}
END_TEST

/* Tests lengths around those at which the device changes from one kernel program or method to
 * another. Also tests lengths around multiples of the part that a work-item or a work-group
 * computes. Only some long powers are tested, because they take long. */
START_TEST(lengths) {
    static const size_t sizes[] = {10,  11,  12,  15,  16,  17,  18,  24,  25,  31,  32,
                                   33,  34,  35,  36,  63,  64,  65,  69,  70,  71,  100,
                                   127, 128, 129, 130, 139, 140, 255, 256, 257, 260, 280};
    use_device(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int op = 0; op < JOB_BATCH_OPS; op++)
            if (!is_power((enum job_op)op) || sizes[i] < 66 || sizes[i] == 129)
                compare((enum job_op)op, 1 + testing_below(5), sizes[i],
                        testing_below(JOB_CASE_VARIANTS));
}
END_TEST

/* Returns `count`, or a smaller count if every launch is slow, as under compute-sanitizer. */
static size_t many(size_t count) {
    return testing_option("MPGPU_TEST_PRODUCTS", 100) < 100 ? count / 50 : count;
}

/* Tests batches of more numbers than the device computes at the same time. */
START_TEST(many_numbers) {
    use_device(_i, VERIFY_DEVICE);
    compare_all(many(2501), 2, 1);
    compare(JOB_batch_mul, many(3001), 32, 0);
    compare(JOB_batch_mul, many(1700), 300, 0);
}
END_TEST

static const struct recipe *recipe_of(enum job_op op) {
    return engine_recipe(&(struct job){.op = op});
}

/* Tests sums, comparisons and selections of numbers longer than a tile (1024 limbs), the part that
 * one work-group computes. */
START_TEST(tiles) {
    static const size_t sizes[] = {257,  1000, 1023, 1024,  1025, 2048,
                                   2049, 4096, 4097, 10001, 16384};
    use_device(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int op = 0; op < JOB_BATCH_OPS; op++)
            if (recipe_of((enum job_op)op) == recipe_of(JOB_batch_sum) ||
                recipe_of((enum job_op)op) == recipe_of(JOB_batch_cmp))
                compare((enum job_op)op, 1 + testing_below(5), sizes[i],
                        testing_below(JOB_CASE_VARIANTS));
}
END_TEST

/* Tests transform lengths 2^k with even and with odd k. A CPU takes long to build their kernels, so
 * it tests only the first three sizes unless MPGPU_TEST_BLOCKS=1. */
START_TEST(transforms) {
    static const size_t sizes[] = {257,  511,  512,  513,  1023, 1024,
                                   1025, 2047, 2048, 2049, 4095, 4096};
    struct gpu_device dev;
    struct profile unused;
    use_device(_i, VERIFY_DEVICE);
    ck_assert_int_eq(session_profile(&dev, &unused), OUTCOME_DONE);
    const bool are_all = !dev.caps.is_cpu || testing_option("MPGPU_TEST_BLOCKS", 0);
    for (size_t i = 0; i < (are_all ? sizeof sizes / sizeof *sizes : 3); i++)
        for (int op = 0; op < JOB_BATCH_OPS; op++)
            if (recipe_of((enum job_op)op) == recipe_of(JOB_batch_mul))
                for (unsigned same = 0; same <= JOB_CASE_SAME; same++)
                    compare((enum job_op)op, 1 + testing_below(7), sizes[i], same);
}
END_TEST

/* Tests the longest numbers that some operations support on the device, and longer ones, which
 * GMP computes. */
START_TEST(long_numbers) {
    use_device(_i, VERIFY_DEVICE);
    compare(JOB_batch_cmp, 1, 70001, 0);
    compare(JOB_batch_select, 1, 70001, 0);
    compare(JOB_batch_gcd, 2, 560, 0);
    compare(JOB_batch_mod_inv, 2, 280, JOB_CASE_BARRETT);
    compare(JOB_batch_tdiv_qr, 1, 4096, JOB_CASE_LONGER);
    compare(JOB_batch_mod, 1, 2048, JOB_CASE_LONGER);
    compare(JOB_batch_mod_pow, 2, 257, JOB_CASE_BARRETT);
    compare(JOB_batch_mod_mul, 1, 4096, JOB_CASE_SAME | JOB_CASE_BARRETT | JOB_CASE_NORMAL);
    want = EITHER;
    compare_all(1, 4097, 1);
}
END_TEST

/* Tests quotients by Newton's method, also for short divisors, for which the device normally uses
 * other methods. Dividends are near multiples of divisors. */
START_TEST(quotients_by_newton) {
    static const size_t sizes[] = {33, 64, 65, 101, 128, 129, 192, 256, 257, 500};
    use_device(_i, VERIFY_DEVICE);
    euclid_newton_least = 2 * sizes[0];
    euclid_piece_bytes = 4 * EUCLID_RECORD * sizeof(uint64_t);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned variant = 0; variant < JOB_CASE_VARIANTS; variant += JOB_CASE_FOR_ALL)
            compare(JOB_batch_tdiv_qr, 1 + testing_below(12), sizes[i], variant);
    compare(JOB_batch_mod_inv, 3, 70, JOB_CASE_BARRETT); /* even moduli */
}
END_TEST

enum { SHAPES = 20 };

/* Makes two numbers of at most n limbs; v is not 0. k chooses their shape: runs of equal bits, few
 * or the most Euclidean steps, quotients of many limbs, or long common factors. */
static void make_shape(mpz_t u, mpz_t v, unsigned k, size_t n) {
    const mp_bitcnt_t bits = GMP_NUMB_BITS * n, some = 1 + testing_below(bits - 1);
    mpz_set_ui(u, k % 4);
    mpz_set_ui(v, 1);
    mpz_mul_2exp(v, v, k < 4 ? bits : some);
    mpz_sub_ui(v, v, k < 8); /* k < 4: v = 2^bits - 1; k < 8: v = 2^some - 1; otherwise v =
                                2^some */
    if (k >= 4 && k < 12)
        mpz_setbit(u, testing_below(bits));
    /* neighbours in Fibonacci's sequence, which need the most Euclidean steps */
    if (k >= 12 && k < 14)
        mpz_fib2_ui(u, v, bits / 25 * 36 - k);
    if (k >= 14) {
        mpz_rrandomb(v, *testing_random(), 1 + testing_below(bits / 2));
        mpz_urandomb(u, *testing_random(), k % 2 ? some / 2 : bits / 2);
        mpz_mul(k % 2 ? v : u, v, u);
        mpz_add_ui(u, u, k % 3);
    }
    if (k == 15)
        mpz_set(u, v);
    if (mpz_sgn(v) == 0)
        mpz_setbit(v, some);
}

/* Fills x[0] and x[1] with the numbers of SHAPES pairs, x[2] and x[3] with GMP's results: gcds, or
 * inverses and whether they exist. */
static void fill_shapes(mp_limb_t *x[4], size_t n, bool is_inverse) {
    mpz_t u, v, r;
    mpz_inits(u, v, r, NULL);
    for (unsigned k = 0; k < SHAPES; k++) {
        make_shape(u, v, k, n);
        const bool is_there = !is_inverse || mpz_invert(r, u, v) || mpz_cmp_ui(v, 1) == 0;
        if (!is_inverse)
            mpz_gcd(r, u, v);
        else if (!is_there || mpz_cmp_ui(v, 1) == 0)
            mpz_set_ui(r, 0);
        const mpz_srcptr all[] = {u, v, r};
        for (unsigned i = 0; i < 3; i++)
            for (size_t j = 0; j < n; j++)
                x[i][k * n + j] = mpz_getlimbn(all[i], (mp_size_t)j);
        x[3][k] = is_there;
    }
    mpz_clears(u, v, r, NULL);
}

static void compare_shapes(size_t n, bool is_inverse) {
    mp_limb_t *x[4], *got = malloc(SHAPES * n * sizeof *got);
    mpgpu_batch *b[4];
    for (unsigned i = 0; i < 4; i++) {
        x[i] = calloc(SHAPES * n, sizeof *x[i]);
        ck_assert_ptr_nonnull(b[i] = mpgpu_batch_create(SHAPES, i < 3 ? n : 1));
    }
    fill_shapes(x, n, is_inverse);
    ck_assert_int_eq(mpgpu_batch_set(b[0], x[0]) | mpgpu_batch_set(b[1], x[1]), 0);
    ck_assert_int_eq(is_inverse ? mpgpu_batch_mod_inv(b[2], b[3], b[0], b[1])
                                : mpgpu_batch_gcd(b[2], b[0], b[1]),
                     0);
    ck_assert(want == EITHER || mpgpu_batch_on_device(b[2]));
    for (unsigned i = 2; i < (is_inverse ? 4 : 3); i++) {
        const size_t limbs = i < 3 ? n : 1;
        ck_assert_int_eq(mpgpu_batch_get(got, b[i]), 0);
        for (unsigned k = 0; k < SHAPES; k++)
            ck_assert_msg(memcmp(got + k * limbs, x[i] + k * limbs, limbs * sizeof *got) == 0,
                          "shape %u of %zu limbs, result %u, %s", k, n, i,
                          is_inverse ? "inverse" : "gcd");
    }
    for (unsigned i = 0; i < 4; i++) {
        mpgpu_batch_destroy(b[i]);
        free(x[i]);
    }
    free(got);
}

/* Tests gcds and inverses for all shapes of numbers in one batch, with and without a check. The
 * device computes the batch in pieces of four gcds, and of fewer inverses. */
START_TEST(shapes) {
    static const size_t sizes[] = {1, 8, 15, 16, 47, 97, 192, 256};
    use_device(_i, VERIFY_DEVICE);
    euclid_piece_bytes = 4 * EUCLID_RECORD * sizeof(uint64_t);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        mpgpu_conf.verify = i / 2 % 2 ? VERIFY_DEVICE : VERIFY_OFF;
        compare_shapes(sizes[i / 2], i % 2);
    }
}
END_TEST

/* Tests operations whose results nothing checks, and operations whose results GMP checks. */
START_TEST(checks) {
    static const int kinds[] = {VERIFY_OFF, VERIFY_RESIDUE, VERIFY_FULL};
    use_device(_i / 3, kinds[_i % 3]);
    compare_all(1 + testing_below(20), 1 + testing_below(12), 4);
}
END_TEST

START_TEST(without_a_device) {
    want = HOST;
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_all(1 + testing_below(20), 1 + testing_below(12), 8);
}
END_TEST

/* Returns true if environment variable `name` is not set, or if it contains the word. */
static bool is_chosen(const char *name, const char *word) {
    const char *list = getenv(name);
    const size_t length = strlen(word);
    if (!list)
        return true;
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

/* Compares an operation on few short numbers. Modular operations get numbers of at most 3 limbs,
 * because the self-test of powers would take hours for longer ones. */
static void compare_simulated(enum job_op op) {
    static const size_t sizes[][2] = {{5, 1}, {3, 3}, {3, 9}, {2, 17}, {2, 33}, {1, 65}};
    const bool is_modular = recipe_of(op) == recipe_of(JOB_batch_mod);
    for (size_t i = 0; i < (is_modular ? 2 : sizeof sizes / sizeof *sizes); i++) {
        const unsigned variant = (unsigned)testing_below(JOB_CASE_VARIANTS);
        printf("%s: %zu numbers of %zu limbs, variant %u\n", job_case_name(op), sizes[i][0],
               sizes[i][1], variant);
        fflush(stdout);
        compare(op, sizes[i][0], sizes[i][1], variant);
    }
    printf("%s: passed\n", job_case_name(op));
    fflush(stdout);
}

/* Tests operations on devices that are simulated (tests/opencl/oclgrind_batches.sh).
 * MPGPU_TEST_OPERATION lists the operations to test, separated by spaces. MPGPU_TEST_FORM selects
 * the kernels for CPUs ("cpu") or those for GPUs ("gpu"). */
START_TEST(simulated) {
    if (!is_chosen("MPGPU_TEST_FORM", backends[_i].kernels_of_gpus ? "gpu" : "cpu")) {
        use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
        return;
    }
    use_device(_i, VERIFY_DEVICE);
    for (int op = 0; op < JOB_BATCH_OPS; op++)
        if (is_chosen("MPGPU_TEST_OPERATION", job_case_name((enum job_op)op)))
            compare_simulated((enum job_op)op);
}
END_TEST

/* The time limit of a power must grow with the exponent, for both methods. */
START_TEST(limits_of_powers) {
    for (unsigned method = 0; method <= JOB_BY_BARRETT; method += JOB_BY_BARRETT)
        for (int op = JOB_batch_mod_pow; op <= JOB_batch_mod_pow_sec; op++) {
            struct job job = {
                .op = (enum job_op)op,
                .operands = JOB_MODULUS + 1,
                .u = {{.count = 7, .n = 4}, {.count = 7, .n = 4}, {.count = 1, .n = 4}},
                .parameter = {[JOB_METHOD] = method}};
            const size_t bytes = engine_bytes(&job);
            job.u[1].n *= 100;
            ck_assert_uint_eq(engine_bytes(&job), 100 * bytes);
        }
}
END_TEST

/* ---- jobs that must be refused */

/* Changes *job so that it is valid for no operation. Returns false if the job has nothing that can
 * be changed in this way, so that it is still valid. */
typedef bool spoil(struct job *job);

/* Returns a random operand, or a random result that the job must compute. */
static struct job_ref *any_batch(struct job *job) {
    for (;;) {
        const unsigned k = (unsigned)testing_below(job->operands + job->results);
        struct job_ref *b = k < job->operands ? &job->u[k] : &job->r[k - job->operands];
        if (b->count > 0)
            return b;
    }
}

/* Makes a length too large by a little, or by at least 2^31. */
static bool spoil_length(struct job *job) {
    struct job_ref *b = any_batch(job);
    /* the changed job would be valid, because exponents may have any length */
    if (is_power(job->op) && b == &job->u[1])
        return false;
    b->n += (1 + testing_below(3)) << (testing_below(2) ? 31 : 8);
    return true;
}

static bool spoil_count(struct job *job) {
    any_batch(job)->count += 5 + (testing_below(3) << 31);
    /* the job may still be valid, because polynomials may have different lengths */
    return job->op != JOB_poly_mul;
}

static bool spoil_to_nothing(struct job *job) {
    job->u[testing_below(job->operands)].n = 0;
    return true;
}

static bool spoil_to_no_numbers(struct job *job) {
    job->u[testing_below(job->operands)].count = 0;
    return true;
}

/* Multiplies the lengths of all batches by 2^60, so that the sizes in bytes overflow 64 bits, or by
 * 2^61, so that count times length overflows, too. */
static bool spoil_all_lengths(struct job *job) {
    const unsigned by = 60 + (unsigned)testing_below(2);
    for (unsigned k = 0; k < job->operands; k++)
        job->u[k].n <<= by;
    for (unsigned k = 0; k < job->results; k++)
        job->r[k].n <<= by;
    return true;
}

static bool spoil_exponents(struct job *job) {
    job->u[1].n = UINT64_MAX / 2;
    return is_power(job->op);
}

static bool spoil_operands(struct job *job) {
    job->operands = testing_below(2) ? JOB_OPERANDS + 1 + (unsigned)testing_below(1000) : 0;
    return true;
}

static bool spoil_results(struct job *job) {
    job->results = testing_below(2) ? JOB_RESULTS + 1 + (unsigned)testing_below(1000) : 0;
    return true;
}

static bool spoil_operation(struct job *job) {
    job->op = (enum job_op)(JOB_BATCH_OPS + testing_below(1000));
    return true;
}

/* Makes the last result begin where the first one begins. */
static bool spoil_places(struct job *job) {
    static mp_limb_t place[2];
    const unsigned last = job->results - 1;
    if (last == 0 || job->r[0].count == 0 || job->r[last].count == 0)
        return false;
    if (testing_below(2)) {
        job->r[0].mem.h = job->r[last].mem.h = 7;
        return true;
    }
    for (unsigned k = 0; k < job->operands; k++)
        job->u[k].host = &place[0];
    for (unsigned k = 0; k < job->results; k++)
        job->r[k].host = &place[1];
    return true;
}

static bool is_expression(const struct job *job) {
    return job->op == JOB_batch_expression;
}

/* Replaces a term of one of the expression's operations by the result of the same or a later
 * operation, or of one that does not exist. */
static bool spoil_term(struct job *job) {
    const unsigned i = (unsigned)testing_below(job->e.nodes);
    job->e.node[i].term[0] = (uint8_t)(i + (i < job->e.operands) + testing_below(256 - i - 1));
    return is_expression(job);
}

static bool spoil_node(struct job *job) {
    struct expression_node *node = &job->e.node[testing_below(job->e.nodes)];
    switch (testing_below(3)) {
    case 0:
        node->kind = (uint8_t)(EXPRESSION_RESIZE + 1 + testing_below(100));
        break;
    case 1:
        node->times = (uint8_t)(testing_below(2) ? 0 : EXPRESSION_TIMES + 1 + testing_below(100));
        break;
    default:
        node->terms = (uint8_t)(BATCH_TERMS + 1 + testing_below(100));
    }
    return is_expression(job);
}

static bool spoil_result(struct job *job) {
    job->e.result[testing_below(job->e.results)] =
        (uint8_t)(testing_below(2) ? testing_below(job->e.operands)
                                   : job->e.nodes + testing_below(256 - job->e.nodes));
    return is_expression(job);
}

static bool spoil_counts(struct job *job) {
    uint32_t *const counts[] = {&job->e.nodes, &job->e.operands, &job->e.results};
    *counts[testing_below(3)] = testing_below(2) ? 0 : EXPRESSION_NODES + 1;
    return is_expression(job);
}

START_TEST(others_are_refused) {
    static spoil *const spoils[] = {
        spoil_length,        spoil_count,  spoil_to_nothing, spoil_exponents, spoil_operands,
        spoil_to_no_numbers, spoil_places, spoil_results,    spoil_operation, spoil_all_lengths,
        spoil_term,          spoil_node,   spoil_result,     spoil_counts};
    const size_t kinds = sizeof spoils / sizeof *spoils;
    for (int op = 0; op < JOB_BATCH_OPS; op++)
        for (unsigned i = 0; i < 400; i++) {
            struct job_case c;
            job_case_make(&c, (enum job_op)op, 3, 4, testing_below(JOB_CASE_VARIANTS), i);
            const bool is_for_expressions = i % kinds >= kinds - 4;
            struct job job = c.job;
            if ((!is_for_expressions || is_expression(&job)) && spoils[i % kinds](&job))
                ck_assert_msg(!job_fits(&job), "%s fits after change %zu",
                              job_case_name((enum job_op)op), i % kinds);
            job_case_free(&c);
        }
}
END_TEST

int main(void) {
    choose_batches_alone();
    if (testing_option("MPGPU_TEST_SIMULATED", 0))
        return run_on_backends("jobs", TESTS(PER_DEVICE(simulated, 1)), NULL);
    return run_on_backends(
        "jobs",
        TESTS(PER_DEVICE(variants, 1), PER_DEVICE(in_memory, 1), PER_DEVICE(lengths, 1),
              PER_DEVICE(many_numbers, 1), PER_DEVICE(tiles, 1), PER_DEVICE(transforms, 1),
              PER_DEVICE(long_numbers, 1), PER_DEVICE(quotients_by_newton, 1),
              PER_DEVICE(shapes, 1), PER_DEVICE(checks, 3), ONCE(without_a_device),
              ONCE(limits_of_powers), ONCE(others_are_refused)),
        NULL);
}

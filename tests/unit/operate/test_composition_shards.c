/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests one composite operation (one of several products) on two devices, compared with GMP's.
 * Every test runs in a separate process. Numbers have some thousands of limbs, because the shortest
 * transforms have 2^13 limbs. */
#include "tests/support/shards_composite.h"

#include "lib/base/conf.h"

static const struct shards_devices twice = {"two with copies", "0+1", 2, true};
static const struct shards_devices without = {"two without", "0+1", 2, false};
static const struct shards_devices three = {"three with copies", "all", 3, true};

/* Runs the job, which must succeed. Returns true if the library has split its products between the
 * devices. */
static bool is_shared(struct composite_case *c, const char *what) {
    const enum outcome outcome = composite_run(c, what);
    ck_assert_msg(outcome == OUTCOME_DONE, "%s, %s: outcome %d", job_case_name(c->job.op), what,
                  outcome);
    return composite_was_shared();
}

/* ---- sizes: from 32000 limbs, at which all products are split between the devices, down to 1000
 * limbs, at which none is */

/* If the longest product of an operation has LEAST limbs or more, the library must split the
 * operation's products between the devices. If it has at most MOST_OF_ONE limbs, the library must
 * not split them. */
enum { LEAST = 28000, MOST_OF_ONE = 4000 };

/* Returns true if the operation's products are so long that the library must split them between the
 * devices. Roots of degree above 3 have shorter products. */
static bool must_be_shared(const struct composite_case *c) {
    return job_longest(&c->job) >= LEAST &&
           (c->job.op != JOB_rootrem || c->job.parameter[JOB_DEGREE] == 3);
}

static void compare(enum job_op op, size_t n, unsigned variant) {
    struct composite_case c;
    char what[60];
    snprintf(what, sizeof what, "%zu limbs, variant %u", n, variant);
    composite_case_make(&c, op, n, variant);
    const bool shared = is_shared(&c, what);
    if (variant & COMPOSITE_CASE_PLAIN)
        ck_assert_msg(shared ? job_longest(&c.job) > MOST_OF_ONE : !must_be_shared(&c),
                      "%s, %s: %s", job_case_name(op), what, shared ? "shared" : "not shared");
    composite_case_free(&c);
}

START_TEST(each_size) {
    static const size_t sizes[] = {1000,  7900,  8000,  8188,  8191,  12000, 12500,
                                   14000, 16001, 16383, 24500, 26000, 29000, 32000};
    composite_begin(&twice, "shard:1");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(composite_op(_i), sizes[i], COMPOSITE_CASE_PLAIN);
}
END_TEST

/* Tests random operands with long carries, and results in place of operands. If a carry runs far in
 * a product modulo B^n - 1 (B = 2^64), one device must compute that product alone. */
START_TEST(random_shapes) {
    composite_begin(&twice, "shard:1");
    for (unsigned long k = testing_option("MPGPU_TEST_COMPOSITES", 12); k > 0; k--)
        compare(composite_op(_i),
                k % 3   ? 8191
                : k % 2 ? 16383
                        : 2 + testing_below(20000),
                testing_below(JOB_CASE_VARIANTS));
}
END_TEST

/* Each device must upload only half of the operands. It may upload SLACK bytes more or less,
 * because of rounding and first approximations. */
enum { SLACK = 10000 };

START_TEST(operands_by_halves) {
    struct composite_case c;
    size_t bytes = 0;
    composite_begin(&twice, "shard:1");
    composite_case_make(&c, composite_op(_i), 32000, COMPOSITE_CASE_PLAIN);
    for (unsigned k = 0; k < c.job.operands; k++)
        bytes += job_bytes(&c.job.u[k]);
    const bool must_shard = must_be_shared(&c);
    if (must_shard) {
        ck_assert(is_shared(&c, "first"));
        twins[0].uploaded = twins[1].uploaded = 0;
        ck_assert(is_shared(&c, "again"));
    }
    for (int i = 0; i < 2 && must_shard; i++) {
        ck_assert_int_ge(twins[i].uploaded, bytes / 2 - SLACK);
        ck_assert_int_le(twins[i].uploaded, bytes / 2 + SLACK);
    }
    composite_case_free(&c);
}
END_TEST

/* ---- not shared */

static const struct {
    const struct shards_devices *devices;
    const char *conf;
    bool is_shared;
} options[] = {{&twice, "shard:1000", true},
               {&twice, "shard:4001", false},
               {&twice, "shard:never", false},
               {&twice, "shared:auto", false},
               {&twice, "shard:0", true},
               {&twice, "shard:1,verify:off", true},
               {&twice, "shard:1,clear:true", false},
               {&without, "shard:1", false},
               {&three, "shard:1", true},
               {&twice, "shard:1,memory:4M", false}};
enum { OPTIONS = sizeof options / sizeof *options };

START_TEST(by_option) {
    struct composite_case c;
    composite_begin(options[_i].devices, options[_i].conf);
    composite_case_make(&c, JOB_powm, 8000, COMPOSITE_CASE_PLAIN);
    ck_assert_msg(is_shared(&c, options[_i].conf) == options[_i].is_shared, "%s", options[_i].conf);
    composite_case_free(&c);
}
END_TEST

/* A thread that is bound to one device must not split operations between devices. If only one
 * device is left, no thread may split operations. */
START_TEST(bound_or_alone) {
    struct composite_case c;
    composite_begin(&twice, "shard:1");
    composite_case_make(&c, JOB_tdiv_qr, 14000, COMPOSITE_CASE_PLAIN);
    session_bind(1);
    ck_assert(!is_shared(&c, "bound"));
    session_bind(SESSION_ANY);
    ck_assert(is_shared(&c, "not bound"));
    session_device_leave_alone(session_device(0), "of a test");
    ck_assert(!is_shared(&c, "alone"));
    composite_case_free(&c);
}
END_TEST

/* ---- GMP functions, called by their public names as a program does */

/* Tests two operations that one device must compute alone, even if the options split products of
 * all sizes. One is |w - u v|, for which the host must first know the sign. The other operation
 * reads a text with a wrong digit. */
START_TEST(others_with_one) {
    enum { LIMBS = 8000, DIGITS = 300000 };
    mpz_t u, v, w, right;
    static char text[DIGITS + 1];
    shards_begin(&twice, "shard:0");
    mpz_inits(u, v, w, right, NULL);
    mpz_urandomb(u, *testing_random(), LIMBS * 64);
    mpz_urandomb(v, *testing_random(), LIMBS * 64);
    mpz_urandomb(w, *testing_random(), 2 * LIMBS * 64);
    mpz_setbit(w, 2 * LIMBS * 64);
    real.mpz_mul(right, u, v);
    real.mpz_sub(right, w, right);
    mpz_submul(w, u, v);
    ck_assert(mpz_cmp(w, right) == 0);
    memset(text, '7', DIGITS);
    text[DIGITS - 5] = '!';
    ck_assert_int_eq(mpz_set_str(w, text, 10), -1);
    mpz_clears(u, v, w, right, NULL);
}
END_TEST

/* Tests a division whose results replace its operands. */
START_TEST(by_mpz) {
    mpz_t a, b, q, r;
    shards_begin(&twice, "shard:1");
    mpz_inits(a, b, q, r, NULL);
    mpz_urandomb(q, *testing_random(), 14000 * 64);
    mpz_urandomb(b, *testing_random(), 14000 * 64);
    mpz_setbit(b, 14000 * 64 - 1);
    mpz_urandomb(r, *testing_random(), 14000 * 64 - 1);
    real.mpz_mul(a, q, b);
    real.mpz_add(a, a, r);
    long copies = twins[1].peer_copies;
    mpz_tdiv_qr(a, b, a, b);
    /* The library computes the quotient in two blocks. The operands of each block's products are
     * copied between the devices. */
    ck_assert_int_ge(twins[1].peer_copies, copies + 2);
    ck_assert(mpz_cmp(a, q) == 0 && mpz_cmp(b, r) == 0);
    mpz_clears(a, b, q, r, NULL);
}
END_TEST

int main(void) {
    return twins_main("composition_shards",
                      TESTS(LOOP(each_size, COMPOSITES), LOOP(random_shapes, COMPOSITES),
                            LOOP(operands_by_halves, COMPOSITES), LOOP(by_option, OPTIONS),
                            ONCE(bound_or_alone), ONCE(others_with_one), ONCE(by_mpz)));
}

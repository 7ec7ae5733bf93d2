/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo even numbers on a device that fails: whatever an operation says it has done is
 * GMP's result, when a call fails, and when a launch leaves a wrong word.  A life has a thousand
 * calls, most of them of self-tests, and each takes milliseconds: some calls are tried. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { N = 5, COUNT = 3, ALL = N * COUNT };
enum { STEP_OF_CALLS = 7, STEP_OF_LAUNCHES = 5 }; /* odd: other kernels each time */

static mp_limb_t u[ALL], v[ALL], m[ALL], product[ALL], power[ALL], rest[ALL];
static const mp_limb_t exponent[1] = {11};

/* Long runs of ones and zeros, with other limbs between; no random numbers of GMP's, before whose
 * first the options have to be there. */
static void fill(mp_limb_t *x, mp_limb_t seed) {
    for (size_t i = 0; i < ALL; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
}

static void set(mp_limb_t *rp, mpz_srcptr x) {
    memset(rp, 0, N * sizeof *rp);
    memcpy(rp, mpz_limbs_read(x), mpz_size(x) * sizeof *rp);
}

/* u v, then that to the power 11, and u less that; modulo even numbers of several lengths. */
static void prepare(void) {
    fill(u, 1);
    fill(v, 2);
    fill(m, 3);
    for (size_t i = 0; i < COUNT; i++) {
        mpz_t a, b, c, r, e;
        m[i * N] &= ~(mp_limb_t)1;
        m[i * N + 1] |= 2;
        m[i * N + N - 1] = i == 1 ? 0 : ~(mp_limb_t)0 >> i;
        mpz_init(r);
        mpz_roinit_n(a, u + i * N, N);
        mpz_roinit_n(b, v + i * N, N);
        mpz_roinit_n(c, m + i * N, N);
        mpz_roinit_n(e, exponent, 1);
        real.mpz_mul(r, a, b);
        real.mpz_mod(r, r, c);
        set(product + i * N, r);
        real.mpz_powm(r, r, e, c);
        set(power + i * N, r);
        real.mpz_sub(r, a, r);
        real.mpz_mod(r, r, c);
        set(rest + i * N, r);
        mpz_clear(r);
    }
}

static char *plan_text(void) {
    static char text[120];
    snprintf(text, sizeof text, "call %ld every %ld status %d launch %ld bit %u", fault_plan.call,
             fault_plan.every, fault_plan.status, fault_plan.launch, (unsigned)fault_plan.bit);
    return text;
}

/* may_lose: a batch may be lost, which is no error then. */
static int may_lose;

static int is_done(int error) {
    ck_assert_msg(error == 0 || (may_lose && error == MPGPU_LOST), "error %d (%s): %s", error,
                  mpgpu_error(), plan_text());
    return error == 0;
}

static void expect(mpgpu_batch *b, const mp_limb_t *right, const char *what) {
    mp_limb_t got[ALL];
    if (is_done(mpgpu_batch_get(got, b)))
        ck_assert_msg(memcmp(got, right, sizeof got) == 0, "%s: wrong: %s", what, plan_text());
}

static void operate(mpgpu_batch *const b[4], mpgpu_batch_modulus *modulus) {
    is_done(mpgpu_batch_set(b[1], v));
    is_done(mpgpu_batch_set(b[3], exponent));
    if (is_done(mpgpu_batch_mod_mul(b[2], b[0], b[1], modulus))) {
        expect(b[2], product, "product");
        if (is_done(mpgpu_batch_mod_pow(b[2], b[2], b[3], modulus))) {
            expect(b[2], power, "power");
            if (is_done(mpgpu_batch_mod_sub(b[2], b[0], b[2], modulus)))
                expect(b[2], rest, "difference");
        }
    }
    expect(b[0], u, "operand");
}

static void compute(void) {
    mpgpu_batch *const b[] = {mpgpu_batch_create(COUNT, N), mpgpu_batch_create(COUNT, N),
                              mpgpu_batch_create(COUNT, N), mpgpu_batch_create(1, 1)};
    is_done(mpgpu_batch_set(b[0], m));
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(b[0]);
    ck_assert_msg(modulus || may_lose, "no modulus: %s", plan_text());
    is_done(mpgpu_batch_set(b[0], u));
    if (modulus)
        operate(b, modulus);
    mpgpu_batch_modulus_destroy(modulus);
    for (int i = 0; i < 4; i++)
        mpgpu_batch_destroy(b[i]);
}

/* ---- lives */

static void live(struct fault_plan plan) {
    begin_life(plan);
    compute();
}

/* A life without faults; the number of its calls. */
static long begin(int i) {
    setenv("MPGPU_CONF", "open:wait,batch:1,mul:never,sqr:never,add:never", 1);
    fault_plan.real = reals[i];
    call_init();
    prepare();
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    ck_assert_uint_eq(call_sent() - sent, 6); /* a copy, two looks at the moduli, and these */
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens\n", reals[i]->name, calls, opening_calls);
    die();
    check_dead(plan_text());
    return calls;
}

START_TEST(each_call_fails) {
    long calls = begin(_i);
    for (long call = opening_calls + 1; call <= calls; call += STEP_OF_CALLS) {
        live((struct fault_plan){.call = call, .status = statuses[call % STATUSES]});
        ck_assert_int_eq(fault_count.faults, 1);
        die();
        check_dead(plan_text());
    }
}
END_TEST

START_TEST(calls_keep_failing) {
    long calls = begin(_i);
    keeps_memory = may_lose = 1;
    for (long call = opening_calls + 1; call <= calls; call += 3 * STEP_OF_CALLS) {
        live_and_keep_failing(call, compute);
    }
}
END_TEST

/* The first word of what a launch makes is wrong.  All are found but those that do no harm: lowest
 * words of the products that quotients are the high halves of, one launch in five, and of what is
 * multiplied there; what looks at operands and exponents finds. */
START_TEST(wrong_launches_do_no_harm) {
    int found = 0, lives = 0;
    begin(_i);
    live((struct fault_plan){0});
    long first = opening_launches + 1, last = fault_count.launches;
    die();
    for (long launch = first; launch <= last; launch += STEP_OF_LAUNCHES) {
        live((struct fault_plan){.launch = launch, .bit = 7 * launch % 32});
        found += session_faults() > 0;
        lives++;
        die();
        check_dead(plan_text());
    }
    printf("%d found of %d\n", found, lives);
    ck_assert_int_ge(found, 2 * lives / 3);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, each_call_fails, 0, real_count);
    tcase_add_loop_test(tests, calls_keep_failing, 0, real_count);
    tcase_add_loop_test(tests, wrong_launches_do_no_harm, 0, real_count);
}

int main(void) {
    session_open_any();
    return run_on_real_backends("barrett_fault", add_tests);
}

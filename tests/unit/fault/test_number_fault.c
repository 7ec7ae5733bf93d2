/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers (include/mpgpu.h) on a device that fails: nothing is lost, and every result is GMP's.  A
 * life is: open a device, compute with numbers, close it.  Each call of a life fails once; several
 * fail; each never comes back; each launch leaves a wrong word. */
#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { BITS = 700, NUMBERS = 7 };

static mpz_t u, v, m, right[NUMBERS];

/* No random numbers of GMP's, before whose first the options have to be there. */
static void pattern(mpz_ptr x, unsigned long seed, unsigned long bits) {
    mpz_init_set_ui(x, seed);
    while (mpz_sizeinbase(x, 2) < bits) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        mpz_mul_2exp(x, x, 64);
        real.mpz_add_ui(x, x, seed ^ seed >> 29);
    }
}

/* What is right: a square modulo m, that times v, their difference; a quotient and a rest; and two
 * more of them in a second run. */
static void prepare(void) {
    pattern(u, 3, BITS);
    pattern(v, 5, BITS);
    pattern(m, 7, BITS / 2);
    for (int i = 0; i < NUMBERS; i++)
        mpz_init(right[i]);
    real.mpz_mul(right[0], u, u);
    real.mpz_mod(right[0], right[0], m);
    real.mpz_mul(right[1], right[0], v);
    real.mpz_sub(right[2], right[0], right[1]);
    real.mpz_tdiv_qr(right[3], right[4], right[1], u);
    real.mpz_mul(right[5], right[0], right[4]);
    real.mpz_mod(right[5], right[5], m);
    real.mpz_add(right[6], right[5], right[3]);
}

static char *plan_text(void) {
    static char text[120];
    snprintf(text, sizeof text, "call %ld every %ld status %d launch %ld", fault_plan.call,
             fault_plan.every, fault_plan.status, fault_plan.launch);
    return text;
}

static void expect(mpgpu_number *const *x, int i) {
    mpz_t got;
    mpz_init(got);
    ck_assert_int_eq(mpgpu_number_get_mpz(got, x[i]), 0);
    ck_assert_msg(mpz_cmp(got, right[i]) == 0, "number %d: wrong: %s", i, plan_text());
    mpz_clear(got);
}

static void must(int error) {
    ck_assert_msg(error == 0, "error %d (%s): %s", error, mpgpu_error(), plan_text());
}

/* Two runs: the second has what the first has left on the device. */
static void operate(mpgpu_number *const *x, mpgpu_number *a, mpgpu_number *b, mpgpu_modulus *by) {
    must(mpgpu_modulus_sqr(x[0], a, by));
    must(mpgpu_number_mul(x[1], x[0], b));
    must(mpgpu_number_sub(x[2], x[0], x[1]));
    must(mpgpu_number_tdiv_qr(x[3], x[4], x[1], a));
    for (int i = 0; i < 5; i++)
        expect(x, i);
    must(mpgpu_modulus_mul(x[5], x[0], x[4], by));
    must(mpgpu_number_add(x[6], x[5], x[3]));
    for (int i = 0; i < NUMBERS; i++)
        expect(x, i);
}

static void compute(void) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *a = mpgpu_number_create(queue), *b = mpgpu_number_create(queue), *x[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        x[i] = mpgpu_number_create(queue);
    must(mpgpu_number_set_mpz(a, u));
    must(mpgpu_number_set_mpz(b, v));
    must(mpgpu_number_set_mpz(x[0], m));
    mpgpu_modulus *by = mpgpu_modulus_create(x[0]);
    ck_assert_ptr_nonnull(by);
    operate(x, a, b, by);
    mpgpu_modulus_destroy(by);
    mpgpu_number_destroy(a);
    mpgpu_number_destroy(b);
    for (int i = 0; i < NUMBERS; i++)
        mpgpu_number_destroy(x[i]);
    mpgpu_queue_destroy(queue);
}

/* ---- lives */

static void live(struct fault_plan plan) {
    begin_life(plan);
    compute();
}

/* A life without faults; the number of its calls. */
static long begin(int i) {
    setenv("MPGPU_CONF", "open:wait,mul:1,sqr:1,add:never", 1);
    fault_plan.real = reals[i];
    call_init();
    prepare();
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    ck_assert_uint_eq(call_sent() - sent, 2);
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens\n", reals[i]->name, calls, opening_calls);
    die();
    check_dead(plan_text());
    return calls;
}

START_TEST(each_call_fails) {
    long calls = begin(_i);
    for (long call = opening_calls + 1; call <= calls; call++)
        for (int k = 0; k < STATUSES; k++) {
            live((struct fault_plan){.call = call, .status = statuses[k]});
            ck_assert_int_eq(fault_count.faults, 1);
            die();
            check_dead(plan_text());
        }
}
END_TEST

START_TEST(calls_keep_failing) {
    static const long distances[] = {1, 2, 3, 5, 17};
    long calls = begin(_i);
    keeps_memory = 1;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live((struct fault_plan){
            .call = call, .every = distances[call % 5], .status = statuses[call / 5 % STATUSES]});
        die();
        fault_forget();
    }
}
END_TEST

/* Given up in time; also where it was before, on a busy machine. */
START_TEST(each_call_hangs) {
    long calls = begin(_i);
    keeps_memory = 1;
    mpgpu_conf.watchdog = 0.05;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live((struct fault_plan){.call = call, .status = FAULT_HANGS});
        ck_assert_int_eq(session_wait(), OUTCOME_NONE);
        fault_answer();
        session_calm();
        die();
        fault_forget();
    }
}
END_TEST

/* The first word of what a launch makes is wrong: results are right all the same.  Many are found;
 * the lowest word of a reciprocal or of an estimate changes nothing. */
START_TEST(each_wrong_launch) {
    int found = 0;
    begin(_i);
    live((struct fault_plan){0});
    long first = opening_launches + 1, last = fault_count.launches;
    die();
    for (long launch = first; launch <= last; launch++) {
        live((struct fault_plan){.launch = launch, .bit = (unsigned long)launch * 7 % 32});
        found += session_faults() > 0;
        die();
        check_dead(plan_text());
    }
    printf("%d found of %ld\n", found, last - first + 1);
    ck_assert_int_gt(4 * found, last - first + 1);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, each_call_fails, 0, real_count);
    tcase_add_loop_test(tests, calls_keep_failing, 0, real_count);
    tcase_add_loop_test(tests, each_call_hangs, 0, real_count);
    tcase_add_loop_test(tests, each_wrong_launch, 0, real_count);
}

int main(void) {
    session_open_any();
    return run_on_real_backends("number_fault", add_tests);
}

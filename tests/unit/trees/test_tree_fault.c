/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Trees (include/mpgpu.h) on a device that fails: nothing is lost, and every result is GMP's.  A
 * life is: open a device, make a tree, ask it, close the device.  Each call of a life fails once;
 * several fail; each never comes back; each launch leaves a wrong word. */
#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { BITS = 190, LEAVES = 7 };

static mpz_t x, root, leaf[LEAVES], rest[LEAVES], cofactor[LEAVES];

/* No random numbers of GMP's, before whose first the options have to be there. */
static void pattern(mpz_ptr u, unsigned long seed, unsigned long bits) {
    mpz_init_set_ui(u, seed);
    while (mpz_sizeinbase(u, 2) < bits) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        mpz_mul_2exp(u, u, 64);
        real.mpz_add_ui(u, u, seed ^ seed >> 29);
    }
}

static void prepare(void) {
    mpz_t square;
    mpz_init(square);
    pattern(x, 3, 5 * BITS);
    mpz_init_set_ui(root, 1);
    for (unsigned i = 0; i < LEAVES; i++) {
        pattern(leaf[i], 5 + 2 * i, BITS);
        real.mpz_mul(root, root, leaf[i]);
        mpz_init(rest[i]);
        mpz_init(cofactor[i]);
        real.mpz_mod(rest[i], x, leaf[i]);
    }
    for (int i = 0; i < LEAVES; i++) {
        real.mpz_mul(square, leaf[i], leaf[i]);
        real.mpz_mod(cofactor[i], root, square);
        real.mpz_divexact(cofactor[i], cofactor[i], leaf[i]);
    }
    mpz_clear(square);
}

static char *plan_text(void) {
    static char text[120];
    snprintf(text, sizeof text, "call %ld every %ld status %d launch %ld", fault_plan.call,
             fault_plan.every, fault_plan.status, fault_plan.launch);
    return text;
}

static void must(int error) {
    ck_assert_msg(error == 0, "error %d (%s): %s", error, mpgpu_error(), plan_text());
}

static void expect(mpz_t *got, mpz_t *right, int count, const char *what) {
    for (int i = 0; i < count; i++)
        ck_assert_msg(mpz_cmp(got[i], right[i]) == 0, "%s %d: wrong: %s", what, i, plan_text());
}

static void compute(void) {
    mpz_t r[LEAVES];
    for (int i = 0; i < LEAVES; i++)
        mpz_init(r[i]);
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)leaf, LEAVES);
    ck_assert_ptr_nonnull(t);
    must(mpgpu_tree_mod(r, t, x));
    expect(r, rest, LEAVES, "remainder");
    must(mpgpu_tree_cofactors(r, t));
    expect(r, cofactor, LEAVES, "cofactor");
    must(mpgpu_tree_root(r[0], t));
    expect(r, &root, 1, "root");
    mpgpu_tree_destroy(t);
    for (int i = 0; i < LEAVES; i++)
        mpz_clear(r[i]);
}

/* ---- lives */

static void live(struct fault_plan plan) {
    begin_life(plan);
    compute();
}

/* A life without faults; the number of its calls. */
static long begin(int i) {
    setenv("MPGPU_CONF", "open:wait,mul:1,sqr:1,add:never,batch:1", 1);
    fault_plan.real = reals[i];
    call_init();
    prepare();
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    ck_assert_uint_eq(call_sent() - sent, 4);
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
    return run_on_real_backends("tree_fault", add_tests);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversions on a device that fails: whatever a conversion says it has done is GMP's result,
 * and a program gets GMP's text and number in any case.  A life is: open a device, convert a number
 * to digits and back, close it.  Each call of a life fails once, several fail, each launch leaves a
 * wrong word. */
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/radix_job.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { N = 60, DIGITS = 20 * N, BASE = 10 };

static mp_limb_t u[N], copy[N];
static unsigned char text[DIGITS], right[DIGITS];
static size_t length;

/* Long runs of ones and zeros, with other limbs between; no random numbers of GMP's, before whose
 * first the options have to be there. */
static void prepare(void) {
    mp_limb_t seed = 1;
    for (size_t i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        u[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
    u[N - 1] |= 1;
    memcpy(copy, u, sizeof u);
    length = real.mpn_get_str(right, BASE, copy, N);
    memcpy(copy, u, sizeof u);
}

static char *plan_text(void) {
    static char text_of_plan[120];
    snprintf(text_of_plan, sizeof text_of_plan, "call %ld every %ld status %d launch %ld",
             fault_plan.call, fault_plan.every, fault_plan.status, fault_plan.launch);
    return text_of_plan;
}

/* Conversions that were done. */
static int done;

static void get(void) {
    size_t n = 0;
    memset(text, 0xee, sizeof text);
    bool is_done = radix_job_get(text, &n, u, N, BASE, TEXT_VALUES) == OUTCOME_DONE;
    ck_assert_msg(!is_done || (n == length && memcmp(text, right, n) == 0), "digits: %s",
                  plan_text());
    done += is_done;
}

static void set(void) {
    mp_limb_t r[N + 1];
    size_t rn = 0;
    bool is_number = false;
    bool is_done =
        radix_job_set(r, &rn, N + 1, right, length, BASE, TEXT_VALUES, &is_number) == OUTCOME_DONE;
    ck_assert_msg(!is_done || !is_number || (rn == N && mpn_cmp(r, u, N) == 0), "number: %s",
                  plan_text());
    done += is_done;
}

static void convert(void) {
    done = 0;
    if (session_wait() == OUTCOME_DONE)
        get();
    if (session_wait() == OUTCOME_DONE)
        set();
    ck_assert_msg(memcmp(u, copy, sizeof u) == 0, "operand: %s", plan_text());
}

/* ---- lives */

static void live(struct fault_plan plan) {
    begin_life(plan);
    convert();
}

/* A life without faults; the number of its calls. */
static long begin(int i, const char *verify) {
    char conf[100];
    snprintf(conf, sizeof conf, "open:wait,mul:never,sqr:never,add:never,batch:1,verify:%s",
             verify);
    setenv("MPGPU_CONF", conf, 1);
    fault_plan.real = reals[i];
    call_init();
    prepare();
    live((struct fault_plan){0});
    ck_assert_int_eq(done, 2);
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens, %ld launches\n", reals[i]->name, calls,
           opening_calls, fault_count.launches - opening_launches);
    die();
    check_dead(plan_text());
    return calls;
}

START_TEST(each_call_fails) {
    long calls = begin(_i, "device");
    for (long call = opening_calls + 1; call <= calls; call++) {
        live((struct fault_plan){.call = call, .status = statuses[call % STATUSES]});
        ck_assert_int_eq(fault_count.faults, 1);
        die();
        check_dead(plan_text());
    }
}
END_TEST

START_TEST(calls_keep_failing) {
    long calls = begin(_i, "device");
    keeps_memory = 1;
    for (long call = opening_calls + 1; call <= calls; call += 3) {
        live_and_keep_failing(call, convert);
    }
}
END_TEST

/* The first word of what a launch makes is wrong: in a known answer, which ends the device's use,
 * or in the room of the operation.  The device checks it, or the host. */
START_TEST(wrong_launches_make_no_wrong_result) {
    begin(_i / 2, _i % 2 ? "residue" : "device");
    live((struct fault_plan){0});
    long first = opening_launches + 1, last = fault_count.launches;
    die();
    for (long launch = first; launch <= last; launch++) {
        live((struct fault_plan){.launch = launch, .bit = (unsigned long)launch * 7 % 32});
        die();
        check_dead(plan_text());
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, each_call_fails, 0, real_count);
    tcase_add_loop_test(tests, calls_keep_failing, 0, real_count);
    tcase_add_loop_test(tests, wrong_launches_make_no_wrong_result, 0, 2 * real_count);
}

int main(void) {
    session_open_any();
    return run_on_real_backends("radix_fault", add_tests);
}

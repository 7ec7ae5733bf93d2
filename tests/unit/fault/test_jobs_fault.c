/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the operations of lib/job/ops.def before ON_DEVICE on a device that fails. A result that the
 * library returns must be GMP's. A session opens a device, runs the operation and closes the
 * device. If one call of a session fails, no batch may be lost. If several fail, or one never
 * returns, a batch may be lost, and the library must report it. A composite operation may fail,
 * with its operands unchanged. A wrong word after a launch must be found, or must change no result.
 */
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tests/support/composite_cases.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

/* OPERATIONS has one more operation than lib/job/ops.def before ON_DEVICE: batch products of
 * numbers in host memory. */
enum {
    N = 9,
    LONG_N = 190,
    COUNT = 5,
    COMPOSITE_N = 60,
    OPERATIONS = JOB_FIRST_ON_DEVICE + 1,
    VARIANTS = 2
};
static const unsigned variants[VARIANTS] = {JOB_CASE_IN_PLACE,
                                            JOB_CASE_LONGER | JOB_CASE_FOR_ALL | JOB_CASE_BARRETT};

static struct job_case c;
static struct composite_case composite;
static enum job_op op;
static bool is_of_limbs, is_composite, may_lose;
/* the outcome of the composite operation (one of several products) in this session */
static enum outcome outcome;
/* true if this device computes powers modulo odd numbers in floating point */
static bool is_by_doubles;
static long calls; /* number of backend calls in a session without faults */

static const char *plan_text(void) {
    static char text[300];
    snprintf(text, sizeof text, "%s: %s", job_case_name(op), fault_text(&fault_plan));
    return text;
}

static void make_composite(void) {
    session_wait();
    outcome = composite_case_run(&composite, job_run, plan_text());
}

static bool is_done(int error) {
    ck_assert_msg(error == 0 || (may_lose && error == MPGPU_LOST), "error %d (%s): %s", error,
                  mpgpu_error(), plan_text());
    return error == 0;
}

static void expect(mpgpu_batch *b, const mp_limb_t *right) {
    mp_limb_t *got = malloc(batch_size(b) * sizeof *got);
    ck_assert_ptr_nonnull(got);
    if (is_done(mpgpu_batch_get(got, b)))
        ck_assert_msg(memcmp(got, right, batch_size(b) * sizeof *got) == 0, "wrong: %s",
                      plan_text());
    free(got);
}

static void make_limbs(void) {
    mp_limb_t rp[2 * COUNT * N];
    ck_assert_int_eq(mpgpu_batch_mul_n(rp, c.up[0], c.up[1], N, COUNT), 0);
    ck_assert_msg(memcmp(rp, c.right[0], sizeof rp) == 0, "in one call: wrong: %s", plan_text());
}

/* Runs the operation and checks its results. A batch that was lost and then set again must have the
 * value that was set. */
static void make(void) {
    if (is_of_limbs || is_composite) {
        is_of_limbs ? make_limbs() : make_composite();
        return;
    }
    job_case_open(&c);
    const struct batch_task *t = &c.task;
    if (is_done(batch_task_perform(t)))
        for (unsigned k = 0; k < t->results; k++)
            expect(t->r[k], c.right[k]);
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k] != t->r[0])
            expect(t->u[k], c.up[k]);
    is_done(mpgpu_batch_set(t->u[0], c.up[0]));
    expect(t->u[0], c.up[0]);
    job_case_close(&c);
}

/* ---- sessions */

static void live(struct fault_plan plan) {
    begin_life(plan);
    make();
}

static void end_life(void) {
    die();
    check_dead(plan_text());
}

/* Only some calls are made to fail, because all would take an hour, and most calls are the same for
 * all operations. MPGPU_TEST_EVERY and MPGPU_TEST_FIRST choose other calls. Composite operations
 * have many calls, of which PLACES are tried. */
enum { PLACES = 12 };

static long every(long usually, long places) {
    const long most = is_composite && places / PLACES > usually ? places / PLACES : usually;
    return (long)testing_option("MPGPU_TEST_EVERY", (unsigned long)most);
}

static long first_call(int i, long usually) {
    return opening_calls + 1 +
           (long)testing_option("MPGPU_TEST_FIRST", (unsigned long)i % (unsigned long)usually);
}

static long next_call(long call, long usually) {
    return call + every(usually, calls - opening_calls);
}

/* Chooses the backend and the operation for iteration i of a test, and sets the options. */
static void choose(int i) {
    setenv("MPGPU_CONF", "open:wait,batch:1,mul:never,sqr:never,add:never", 1);
    fault_plan.real = reals[i / OPERATIONS];
    is_of_limbs = i % OPERATIONS == JOB_FIRST_ON_DEVICE;
    op = is_of_limbs ? JOB_batch_mul : (enum job_op)(i % OPERATIONS);
    is_composite = op >= JOB_BATCH_OPS;
    if (op == JOB_batch_expression)
        gpu_use_kernels_of_gpus(); /* in one launch */
    call_init();
}

/* Returns the limbs of a number. Products of matrices have, in all variants but the first, entries
 * so long that the device multiplies them by transforms. */
static size_t limbs_of(int i) {
    return op == JOB_matrix_mul && i % VARIANTS ? LONG_N : N;
}

/* Runs a session without faults, and counts its backend calls. */
static void begin(int i) {
    mpgpu_conf.watchdog = 0;
    keeps_memory = may_lose = false;
    if (is_composite)
        composite_case_make(&composite, op, COMPOSITE_N,
                            variants[i % VARIANTS] % JOB_CASE_LONGER | COMPOSITE_CASE_PLAIN);
    else
        job_case_make(&c, op, COUNT, limbs_of(i), variants[i % VARIANTS], 1);
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    if (is_composite)
        ck_assert_int_eq(outcome, OUTCOME_DONE);
    else
        ck_assert_uint_eq(call_sent() - sent, 1);
    calls = fault_count.calls;
    ck_assert_int_eq(session_faults(), 0);
    struct gpu_device dev;
    struct profile unused;
    ck_assert_int_eq(session_profile(&dev, &unused), OUTCOME_DONE);
    is_by_doubles = dev.caps.fast_doubles;
}

/* Runs a test of one operation in all its variants. Runs them in one process, because opening the
 * real device takes longer than some tests. */
static void sweep_variants(int i, void (*sweep)(int)) {
    choose(i);
    for (int k = 0; k < VARIANTS; k++) {
        sweep(i * VARIANTS + k);
        is_composite ? composite_case_free(&composite) : job_case_free(&c);
    }
}

/* Returns true if the operation uses the self-test of powers in floating point. If that self-test
 * fails, the device computes powers without floating point, and the library counts no fault. */
static bool has_other_way(void) {
    return is_by_doubles && op >= JOB_batch_mod && op <= JOB_batch_mod_known &&
           !(c.variant & JOB_CASE_BARRETT);
}

/* Returns true if the operation computes several products: then some launches may write words that
 * no later launch reads. */
static bool consists_of_products(void) {
    return is_composite || op == JOB_poly_mul;
}

enum { EVERY_THAT_FAILS = 12, EVERY_THAT_HANGS = 40, EVERY_LAUNCH = 3 };

static void calls_fail_once(int i) {
    begin(i);
    end_life();
    for (long call = first_call(i, EVERY_THAT_FAILS); call <= calls;
         call = next_call(call, EVERY_THAT_FAILS)) {
        live((struct fault_plan){.call = call, .status = statuses[call % STATUSES]});
        ck_assert_int_eq(fault_count.faults, 1);
        end_life();
    }
}

START_TEST(calls_fail) {
    sweep_variants(_i, calls_fail_once);
}
END_TEST

static void calls_keep_failing_once(int i) {
    begin(i);
    end_life();
    keeps_memory = may_lose = true;
    for (long call = first_call(i, EVERY_THAT_HANGS); call <= calls;
         call = next_call(call, EVERY_THAT_HANGS)) {
        live_and_keep_failing(call, make);
    }
}

START_TEST(calls_keep_failing) {
    sweep_variants(_i, calls_keep_failing_once);
}
END_TEST

/* Runs sessions in which a backend call hangs. The library must stop using the device after the
 * watchdog's time; on a busy machine it may do so earlier. */
static void calls_hang_once(int i) {
    begin(i);
    end_life();
    keeps_memory = may_lose = true;
    mpgpu_conf.watchdog = 0.05;
    for (long call = first_call(i, EVERY_THAT_HANGS); call <= calls;
         call = next_call(call, EVERY_THAT_HANGS)) {
        live_and_hang(call, make);
    }
}

START_TEST(calls_hang) {
    sweep_variants(_i, calls_hang_once);
}
END_TEST

/* Returns true if the wrong word was found. If it makes the self-test of the kernel matrix_groups
 * fail, the device computes without that kernel, and the library counts no fault. */
static bool is_found(void) {
    return session_faults() > 0 || strcmp(fault_spoiled, "matrix_groups") == 0;
}

/* Makes the first word of a launch's result wrong. Such words must be found, by a check or because
 * they belong to a self-test. Some operations need to find only a part of them: a wrong word in an
 * estimate or a reciprocal may change no result. The launch that computes a view of the Mandelbrot
 * set is not tried, since nothing checks it. */
static void wrong_launches_once(int i) {
    char unnoticed[200] = "";
    long found = 0, wrong = 0;
    begin(i);
    const bool is_on_limbs = is_composite && op < JOB_FIRST_COMPOSITE;
    const bool is_view = op == JOB_mandelbrot;
    const int usually = is_on_limbs || is_view ? 1 : EVERY_LAUNCH;
    const long last = fault_count.launches - is_view;
    end_life();
    for (long launch = opening_launches + 1 + i % usually; launch <= last;
         launch += every(usually, last - opening_launches)) {
        live((struct fault_plan){.launch = launch, .bit = (unsigned long)launch * 7 % 32});
        wrong++;
        const size_t at = strlen(unnoticed);
        if (is_found())
            found++;
        else
            snprintf(unnoticed + at, sizeof unnoticed - at, " %ld %s", launch, fault_spoiled);
        end_life();
    }
    const bool are_enough = is_on_limbs              ? found > 0
                            : consists_of_products() ? 4 * found > wrong
                                                     : c.variant & JOB_CASE_BARRETT && found > 0;
    ck_assert_msg(found == wrong || are_enough || has_other_way(),
                  "%s, variant %u: %ld found of %ld, not%s", job_case_name(op), c.variant, found,
                  wrong, unnoticed);
}

START_TEST(wrong_launches) {
    sweep_variants(_i, wrong_launches_once);
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends("jobs_fault", TESTS(PER_DEVICE(calls_fail, OPERATIONS),
                                                    PER_DEVICE(calls_keep_failing, OPERATIONS),
                                                    PER_DEVICE(calls_hang, OPERATIONS),
                                                    PER_DEVICE(wrong_launches, OPERATIONS)));
}

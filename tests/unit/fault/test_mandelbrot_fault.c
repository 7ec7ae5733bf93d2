/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs examples/mandelbrot on a device that fails during the drawing. The host must draw the rest,
 * and the samples must be the same. A session opens a device and draws. In each session one backend
 * call fails, several fail, or one never returns. */
#include <string.h>

#include "compat/intercept/call.h"
#include "examples/mandelbrot/engine.h"
#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_devices.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

/* MOST, the limit of iterations, is so large that the device must draw the view in several bands of
 * rows. */
enum { WIDTH = 40, HEIGHT = 6, SAMPLES = WIDTH * HEIGHT, MOST = 5000000 };

struct drawn {
    uint32_t iterations[SAMPLES], norms[SAMPLES];
};
static struct drawn right;

/* Draws a view far outside the set, where all orbits escape soon. */
static void draw(struct drawn *drawn) {
    struct view view;
    struct samples samples = {drawn->iterations, drawn->norms};
    mpq_t radius;
    mpq_init(radius);
    mpq_set_ui(radius, 1, 16);
    view_init(&view);
    mpq_set_ui(view.x, 3, 2);
    view.width = WIDTH;
    view.height = HEIGHT;
    view.iterations = MOST;
    view_frame(&view, radius);
    memset(drawn, 0xff, sizeof *drawn);
    ck_assert(engine_draw(ENGINE_FP128, &view, &samples, false) == STATUS_DONE);
    view_clear(&view);
    mpq_clear(radius);
}

static long opening_calls;

static void live(struct fault_plan plan) {
    static struct drawn drawn;
    learn_opening();
    fault_restart();
    plan.real = fault_plan.real;
    fault_plan = plan;
    session_anew();
    opening_calls = fault_count.calls;
    draw(&drawn);
    ck_assert_msg(memcmp(&drawn, &right, sizeof right) == 0, "call %ld every %ld status %d",
                  plan.call, plan.every, plan.status);
}

static void die(void) {
    fault_plan.call = 0;
    session_put_down();
}

/* Draws the expected view on the host alone, then runs a session without faults. Returns the number
 * of the session's backend calls. */
static long begin(int i) {
    setenv("MPGPU_CONF", "open:wait,mul:1", 1);
    fault_plan.real = reals[i];
    call_init();
    session_anew(); /* without a device */
    draw(&right);
    die();
    live((struct fault_plan){.devices = 1});
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens\n", reals[i]->name, calls, opening_calls);
    ck_assert(fault_count.launches > 0 && calls > opening_calls + 10);
    die();
    return calls;
}

static const int statuses[] = {GPU_FAILED, GPU_NOMEM, GPU_NOBUILD};
enum { STATUSES = sizeof statuses / sizeof *statuses };

/* Makes each backend call fail in a session of its own, alone or with later calls. With a GPU
 * faster than the host, some sessions make fewer calls than the session without faults, so that no
 * call fails in them. */
START_TEST(each_call_fails) {
    static const long distances[] = {0, 1, 2, 5};
    long calls = begin(_i), missed = 0;
    keeps_memory = 1;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live((struct fault_plan){.devices = 1,
                                 .call = call,
                                 .every = distances[call / STATUSES % 4],
                                 .status = statuses[call % STATUSES]});
        if (fault_count.faults == 0) {
            ck_assert_int_lt(fault_count.calls, call);
            missed++;
        }
        die();
        fault_forget();
    }
    ck_assert_int_lt(missed, (calls - opening_calls) / 4);
}
END_TEST

START_TEST(a_call_hangs) {
    long calls = begin(_i);
    keeps_memory = 1;
    mpgpu_conf.watchdog = 0.05;
    live((struct fault_plan){.devices = 1, .call = calls - 3, .status = FAULT_HANGS});
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    fault_answer();
    session_calm();
    die();
}
END_TEST

int main(void) {
    return run_on_real_backends("mandelbrot on devices that fail",
                                TESTS(PER_DEVICE(each_call_fails, 1), PER_DEVICE(a_call_hangs, 1)));
}

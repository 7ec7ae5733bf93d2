/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests that open a fault-injecting device once for each fault. */
#ifndef MPGPU_TEST_FAULT_LIVES_H
#define MPGPU_TEST_FAULT_LIVES_H

#include "tests/unit/fault/fault_devices.h"

/* The statuses with which calls are made to fail. */
static const int statuses[] = {GPU_FAILED, GPU_NOMEM, GPU_NOBUILD};
enum { STATUSES = sizeof statuses / sizeof *statuses };

/* The numbers of backend calls and launches during the opening of this session's device. */
static long opening_calls, opening_launches;

/* Opens the device and applies the fault plan. The plan's numbers also count the calls of the
 * opening. */
static inline void begin_life(struct fault_plan plan) {
    learn_opening();
    fault_restart();
    plan.real = fault_plan.real;
    plan.devices = 1;
    fault_plan = plan;
    session_anew();
    session_wait();
    opening_calls = fault_count.calls;
    opening_launches = fault_count.launches;
}

/* Closed, without faults. */
static inline void die(void) {
    fault_plan.call = fault_plan.launch = 0;
    session_put_down();
}

/* Runs `make` in a new session in which several backend calls fail, beginning with call number
 * `call`. */
static inline void live_and_keep_failing(long call, void (*make)(void)) {
    static const long distances[] = {1, 2, 3, 5, 17};
    begin_life((struct fault_plan){
        .call = call, .every = distances[call % 5], .status = statuses[call / 5 % STATUSES]});
    make();
    die();
    fault_forget();
}

/* Runs `make` in a new session in which backend call number `call` never returns. The library must
 * stop using the device after the watchdog's time. */
static inline void live_and_hang(long call, void (*make)(void)) {
    begin_life((struct fault_plan){.call = call, .status = FAULT_HANGS});
    make();
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    fault_answer();
    session_calm();
    die();
    fault_forget();
}

/* Checks after a session that no buffer, queue or event of the backend is left allocated. `plan`
 * describes the session's faults, for the error message. */
static inline void check_dead(const char *plan) {
    ck_assert_msg(!fault_count.buffers && !fault_count.queues && !fault_count.events,
                  "alive after %s: %ld buffers, %ld queues, %ld events", plan, fault_count.buffers,
                  fault_count.queues, fault_count.events);
}

#endif

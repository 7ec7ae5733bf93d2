/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests holds: records that a device still uses the program's memory, for jobs that a signal
 * handler has left, in a thread that continues or ends. */
#include <pthread.h>
#include <unistd.h>

#include "lib/process/hold.h"
#include "tests/support/testing.h"

static struct gate gate;
static struct hold hold;

static unsigned let_go(bool is_patient) {
    unsigned state = 0;
    hold = (struct hold){.gate = &gate};
    hold_begin(&hold, is_patient);
    ck_assert(hold_let_go(&hold, &state));
    return state;
}

/* A job that was left must count as using the program's memory until the job is drained
 * (finished on the device). */
START_TEST(left_until_drained) {
    hold_drop(&hold, let_go(_i));
    ck_assert(hold_is_dropped(&hold));
    ck_assert_int_eq(hold_is_abandoned(&hold), _i);
    ck_assert(!hold_end(&hold));
    ck_assert(hold_any_is_loose());
    ck_assert_int_eq(hold_is_abandoned(&hold), _i);
    hold_reuse(&hold);
    ck_assert(!hold_any_is_loose());
    ck_assert(!hold_is_abandoned(&hold));
}
END_TEST

START_TEST(taken_back) {
    unsigned state = let_go(true);
    ck_assert(!hold_is_abandoned(&hold)); /* its handler runs */
    ck_assert(hold_take_back(&hold, state));
    ck_assert(hold_end(&hold));
    hold_reuse(&hold);
    ck_assert(!hold_any_is_loose());
}
END_TEST

static void *let_go_and_end(void *unused) {
    let_go(true);
    return unused;
}

/* A job whose thread has ended must count as abandoned at once, without the usual waiting time. */
START_TEST(thread_has_ended) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, let_go_and_end, NULL), 0);
    pthread_join(thread, NULL);
    while (!hold_is_over(&hold)) /* pthread_join may return before the kernel has removed the
                                    thread */
        usleep(100);
    ck_assert(hold_is_abandoned(&hold));
    ck_assert(!hold_end(&hold));
    hold_reuse(&hold);
    ck_assert(!hold_any_is_loose());
}
END_TEST

int main(void) {
    return testing_main(
        "hold", 4, TESTS(LOOP(left_until_drained, 2), ONCE(taken_back), ONCE(thread_has_ended)));
}

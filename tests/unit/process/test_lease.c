/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests leases. A lease records whether the device still uses the program's memory for a job. In
 * each test a signal handler interrupts the job's call, and may leave it. */
#include <pthread.h>
#include <unistd.h>

#include "lib/process/lease.h"
#include "tests/support/testing.h"

static struct access_guard guard;
static struct lease lease;

static unsigned suspend(bool is_patient) {
    unsigned state = 0;
    lease = (struct lease){.guard = &guard};
    lease_begin(&lease, is_patient);
    ck_assert(lease_suspend(&lease, &state));
    return state;
}

/* After a handler has left a job's call, the job must count as using the program's memory until the
 * device has finished it. */
START_TEST(left_until_drained) {
    lease_revoke(&lease, suspend(_i));
    ck_assert(lease_is_revoked(&lease));
    ck_assert_int_eq(lease_is_abandoned(&lease), _i);
    ck_assert(!lease_end(&lease));
    ck_assert(lease_any_is_suspended());
    ck_assert_int_eq(lease_is_abandoned(&lease), _i);
    lease_reuse(&lease);
    ck_assert(!lease_any_is_suspended());
    ck_assert(!lease_is_abandoned(&lease));
}
END_TEST

START_TEST(taken_back) {
    unsigned state = suspend(true);
    ck_assert(!lease_is_abandoned(&lease)); /* its handler runs */
    ck_assert(lease_resume(&lease, state));
    ck_assert(lease_end(&lease));
    lease_reuse(&lease);
    ck_assert(!lease_any_is_suspended());
}
END_TEST

static void *let_go_and_end(void *unused) {
    suspend(true);
    return unused;
}

/* If the thread of a job has ended, the job must count as abandoned at once, without the usual
 * waiting time. */
START_TEST(thread_has_ended) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, let_go_and_end, NULL), 0);
    pthread_join(thread, NULL);
    while (!lease_is_over(&lease)) /* pthread_join may return before the kernel has removed the
                                    thread */
        usleep(100);
    ck_assert(lease_is_abandoned(&lease));
    ck_assert(!lease_end(&lease));
    lease_reuse(&lease);
    ck_assert(!lease_any_is_suspended());
}
END_TEST

int main(void) {
    return testing_main(
        "lease", 4, TESTS(LOOP(left_until_drained, 2), ONCE(taken_back), ONCE(thread_has_ended)));
}

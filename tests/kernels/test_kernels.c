/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs all tests of the kernels that the library launches, compiled as host C: under ASan and
 * UBSan, or watched (memory_watched.c). Fails if a kernel of any program, in any form, was never
 * launched, unless MPGPU_TEST_LOOPS chooses tests (trials.h). */
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"

int main(void) {
    Suite *suite = suite_create("kernels");
    TCase *tests = tcase_create("host");
    setenv("MPGPU_TEST_SEED", "1", 0);
    setenv("MPGPU_CONF", "open:wait,watchdog:0,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    host_share();
    testing_random();
    fflush(stdout); /* each test runs in a child process, which would print buffered output again */
    tcase_set_timeout(tests, 600);
    add_faults(tests);
    add_transforms(tests);
    add_passes(tests);
    add_ffts(tests);
    add_small(tests);
    add_low_sums(tests);
    add_jobs(tests);
    add_sums(tests);
    add_halves(tests);
    add_remainders(tests);
    add_fixed(tests);
    add_selftests(tests);
    suite_add_tcase(suite, tests);
    enum gpu_status status = testing_run(suite);
    if (host_count_idle() > 0 && status == EXIT_SUCCESS && !getenv("MPGPU_TEST_LOOPS"))
        return EXIT_FAILURE;
    return status;
}

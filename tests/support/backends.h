/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of operations on limbs: runs each test once on every backend that has a device. */
#ifndef MPGPU_TEST_BACKENDS_H
#define MPGPU_TEST_BACKENDS_H

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/job/far_job.h"
#include "lib/session/session.h"
#include "tests/support/devices.h"
#include "tests/support/testing.h"

#define GUARD 4 /* number of guard limbs before and after a result, which must not change */
#define GUARD_LIMB ((mp_limb_t)0xa5a5a5a55a5a5a5au)

/* The backends with a device.  A backend whose first device is a CPU has two entries: its tests run
 * with the kernels for CPUs and with the kernels for GPUs. */
static struct test_backend {
    const char *name;
    int kernels_of_gpus;
} backends[16];
static int backend_count;
/* If true, tests run only once on a CPU.  Set it before run_on_backends if the tested kernels have
 * no special form for CPUs and the library treats CPUs and GPUs alike. */
static bool has_one_form;

/* Opens the device of this backend in the child process of each test, with the algorithm that the
 * environment variable MPGPU_TEST_ALGORITHM names. */
static inline void open_backend(struct test_backend backend) {
    const char *algorithm = getenv("MPGPU_TEST_ALGORITHM");
    char conf[96];
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(conf, sizeof conf, "backend:%s,open:wait,watchdog:600,log:%lu,algorithm:%.9s",
             backend.name, testing_option("MPGPU_TEST_LOG", 1) % 10,
             algorithm ? algorithm : "auto");
    setenv("MPGPU_CONF", conf, 1);
    session_init();
}

/* Selects the backend for tests that call functions of include/mpgpu.h.  The library has read its
 * options when the first random number was generated, so this function changes them directly. */
static inline void use_backend(struct test_backend backend, int verify) {
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", backend.name);
    mpgpu_conf.verify = verify;
    mpgpu_conf.open = OPEN_WAIT; /* waits until the device is open */
}

/* Sets the options for tests of batches: every batch is sent to the device, no other operation is.
 * MPGPU_TEST_LOG sets the log level.  Call it before the options are read. */
static inline void choose_batches_alone(void) {
    char conf[96];
    snprintf(conf, sizeof conf,
             "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never,log:%lu",
             testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
}

/* Opens the backend's device and runs `work` on it, which must succeed.  Nothing is logged. */
static inline void run_on_backend(struct test_backend backend,
                                  enum gpu_status (*work)(struct context *s, void *unused)) {
    int unused = 0;
    open_backend(backend);
    mpgpu_log_level = 0;
    ck_assert_int_eq(session_run(work, &unused, sizeof unused, 0), OUTCOME_DONE);
}

static inline mp_limb_t *limbs(size_t n) {
    mp_limb_t *x = malloc((n + 1) * sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

static inline mp_limb_t *guarded(size_t n) {
    mp_limb_t *x = limbs(n + 2 * GUARD);
    for (size_t i = 0; i < n + 2 * GUARD; i++)
        x[i] = GUARD_LIMB;
    return x + GUARD;
}

static inline void check_guards(mp_limb_t *x, size_t n) {
    for (size_t i = 1; i <= GUARD; i++) {
        ck_assert_uint_eq(*(x - i), GUARD_LIMB);
        ck_assert_uint_eq(x[n + i - 1], GUARD_LIMB);
    }
    free(x - GUARD);
}

/* Fills backends[]. MPGPU_TEST_FAR_BYTES is set if the tests run as clients of a server
 * (tests/process/test_jobs_served.sh). Then kernels are tested in one form only. */
static inline void find_backends(void) {
    far_short_bytes = testing_option("MPGPU_TEST_FAR_BYTES", far_short_bytes);
    has_one_form |= getenv("MPGPU_TEST_FAR_BYTES") != NULL;
    check_backends();
    for (const struct gpu_backend *const *b = gpu_backends; *b; b++) {
        if (devices_of(*b) == 0)
            printf("skipped: %s: no device\n", (*b)->name);
        else
            backends[backend_count++] = (struct test_backend){(*b)->name, 0};
        if (!has_one_form && !getenv("MPGPU_TEST_ALGORITHM") && has_cpu_first(*b))
            backends[backend_count++] = (struct test_backend){(*b)->name, 1};
    }
}

/* Runs after each test, in its process, if MPGPU_TEST_REQUIRE_DEVICE is set. Fails the test if the
 * device is no longer used: the results were then GMP's. */
static inline void expect_device(void) {
    if (strcmp(mpgpu_conf.backend, "none") == 0)
        return; /* this test computes without a device on purpose */
    enum outcome outcome = session_wait();
    ck_assert_msg(outcome == OUTCOME_DONE, "no device after the test (outcome %d): GMP computed",
                  (int)outcome);
}

/* Runs the tests, and the tests `large` (may be NULL) if MPGPU_TEST_LARGE is set.  Returns the
 * program's exit status. */
static inline int run_on_backends(const char *name, const struct testing_test *tests,
                                  const struct testing_test *large) {
    const char *required = getenv("MPGPU_TEST_REQUIRE_DEVICE");
    Suite *suite = suite_create(name);
    find_backends();
    if (backend_count == 0)
        return 77;
    testing_random();
    if (required && *required)
        testing_tear_down = expect_device;
    testing_add(suite, "device", 3000, tests, backend_count);
    if (testing_option("MPGPU_TEST_LARGE", 0))
        testing_add(suite, "large", 3000, large, backend_count);
    return testing_run(suite);
}

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the devices of all backends, for tests that run once on each device. */
#ifndef MPGPU_TEST_DEVICES_H
#define MPGPU_TEST_DEVICES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/session/session.h"
#include "tests/support/testing.h"

enum { MOST_DEVICES = 64 };

struct test_device {
    const struct gpu_backend *backend;
    int index;
};
static struct test_device devices[MOST_DEVICES];
static int device_count;

/* Returns true unless MPGPU_TEST_BACKENDS, a list of "cuda" and "opencl", omits the backend. */
static inline int is_wanted(const struct gpu_backend *backend) {
    const char *wanted = getenv("MPGPU_TEST_BACKENDS");
    return !wanted || strstr(wanted, backend->name) != NULL;
}

/* Calls ask() in a child process, because the process that forks the tests must not contain the
 * threads of a driver.  Returns its result. */
static inline int ask_in_child(const struct gpu_backend *backend,
                               int (*ask)(const struct gpu_backend *backend)) {
    int status = 0;
    if (!is_wanted(backend))
        return 0;
    pid_t child = fork();
    if (child == 0)
        _exit(ask(backend));
    waitpid(child, &status, 0);
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static inline int count_devices(const struct gpu_backend *backend) {
    struct gpu_caps caps;
    int count = backend->enumerate(&caps, 1);
    return count < MOST_DEVICES ? count : MOST_DEVICES;
}

/* Ends the program with a failure if MPGPU_TEST_REQUIRE_DEVICE, a list of "cuda" and "opencl",
 * names this backend, which has no device. */
static inline void lack(const char *backend) {
    const char *required = getenv("MPGPU_TEST_REQUIRE_DEVICE"),
               *wanted = getenv("MPGPU_TEST_BACKENDS");
    if (!required || !strstr(required, backend) || (wanted && !strstr(wanted, backend)))
        return;
    printf("FAILED: MPGPU_TEST_REQUIRE_DEVICE names %s, which has no device\n", backend);
    fflush(stdout);
    exit(EXIT_FAILURE);
}

/* Returns the number of devices of a backend. */
static inline int devices_of(const struct gpu_backend *backend) {
    int count = ask_in_child(backend, count_devices);
    if (count == 0)
        lack(backend->name);
    return count;
}

/* Fails if a required backend is not in this build. */
static inline void check_backends(void) {
    static const char *const names[] = {"cuda", "opencl"};
    for (int i = 0; i < 2; i++) {
        int is_there = 0;
        for (const struct gpu_backend *const *b = gpu_backends; *b; b++)
            is_there |= strcmp((*b)->name, names[i]) == 0;
        if (!is_there)
            lack(names[i]);
    }
}

static inline int first_is_cpu(const struct gpu_backend *backend) {
    struct gpu_caps caps;
    return backend->enumerate(&caps, 1) > 0 && caps.is_cpu;
}

/* Returns true if a backend's first device is a CPU. */
static inline int has_cpu_first(const struct gpu_backend *backend) {
    return ask_in_child(backend, first_is_cpu);
}

/* Fills devices[], and prints the backends that have no device. */
static inline void find_devices(void) {
    check_backends();
    for (const struct gpu_backend *const *b = gpu_backends; *b; b++) {
        int count = devices_of(*b);
        if (count == 0)
            printf("skipped: %s: no device\n", (*b)->name);
        for (int i = 0; i < count && device_count < MOST_DEVICES; i++)
            devices[device_count++] = (struct test_device){*b, i};
    }
    fflush(stdout);
}

/* Opens device number i of devices[].  Call it in the child process of a test. */
static inline int open_device(int i, struct gpu_device *dev) {
    char index[16];
    snprintf(index, sizeof index, "%d", devices[i].index);
    return gpu_open(devices[i].backend->name, index, 0, dev);
}

/* Sets the options for device number i, and the options `more`. */
static inline void configure(int i, const char *more) {
    char conf[200];
    snprintf(conf, sizeof conf, "backend:%s,device:%d,%s", devices[i].backend->name,
             devices[i].index, more);
    setenv("MPGPU_CONF", conf, 1);
    session_init();
}

/* Runs the tests that `add` adds.  Returns the program's exit status, which is 77 if there is no
 * device. */
static inline int run_on_devices(const char *name, double timeout, void (*add)(TCase *tests)) {
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create("device");
    find_devices();
    if (device_count == 0) {
        printf("skipped: no device\n");
        return 77;
    }
    testing_random();
    tcase_set_timeout(tests, timeout);
    add(tests);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}

#endif

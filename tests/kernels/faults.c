/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks that the kernel tests on the host find faults: each kernel of faulty.cl that has a
 * deliberate fault must abort the process. */
#include <signal.h>
#include <string.h>

#include "tests/kernels/host_memory.h"
#include "tests/kernels/trials.h"

enum { ITEMS = 64, GROUPS = 2 };

/* The kernels of faulty.cl whose fault this build must detect: ASan and memory_watched.c detect
 * different faults. */
static const char *const faults[] = {
    "behind_local",     "behind_buffer", "barrier_in_a_branch",
#if defined(__SANITIZE_ADDRESS__)
    "behind_registers", "unaligned",
#else
    "unwritten_local", "unwritten_buffer", "no_barrier",          "two_groups",
    "not_yet_seen",    "too_soon",         "same_half",           "half_of_word",
#endif
};
enum { FAULTS = sizeof faults / sizeof *faults };

const struct host_kernel *host_faulty(void);

static gpu_mem buffer(size_t words, size_t filled) {
    uint32_t *x = memory_new(words * sizeof *x, 0);
    memory_filled(x, filled * sizeof *x);
    memset(x, 0, filled * sizeof *x);
    return (gpu_mem){(uintptr_t)x};
}

static void launch(const char *name, unsigned groups, unsigned nargs) {
    const struct host_kernel *kernel = host_faulty();
    const struct gpu_arg args[] = {gpu_arg_mem(buffer(GROUPS * ITEMS, GROUPS * ITEMS)),
                                   gpu_arg_mem(buffer(2, 1)), gpu_arg_u32(3)};
    while (kernel->name && strcmp(kernel->name, name) != 0)
        kernel++;
    ck_assert_ptr_nonnull(kernel->name);
    host_launch(&(struct host_launch){"faulty", kernel, groups, 1, ITEMS, args, nargs});
}

START_TEST(is_found) {
    printf("%s:\n", faults[_i]);
    fflush(stdout);
    launch(faults[_i], GROUPS, 3);
}
END_TEST

START_TEST(launches_are_checked) {
    launch("right", _i == 0 ? 0 : GROUPS, _i == 1 ? 2 : 3);
}
END_TEST

START_TEST(no_fault_is_found) {
    launch(_i ? "right_halves" : "right", GROUPS, 3);
}
END_TEST

void add_faults(TCase *tests) {
    tcase_add_loop_test(tests, no_fault_is_found, 0, 2);
    tcase_add_loop_test_raise_signal(tests, is_found, SIGABRT, 0, FAULTS);
    tcase_add_loop_test_raise_signal(tests, launches_are_checked, SIGABRT, 0, 2);
}

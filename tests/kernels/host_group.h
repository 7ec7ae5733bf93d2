/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a launch on the host: work-groups run one after another, or all at the same time if they
 * may wait for one another. Work-items are contexts of one thread; each runs until it waits. */
#ifndef MPGPU_TEST_HOST_GROUP_H
#define MPGPU_TEST_HOST_GROUP_H

#include <stddef.h>

#include "tests/kernels/host_kernel.h"

enum { HOST_MOST_ITEMS = 1024, HOST_MOST_CLUSTER = 16, HOST_MOST_LOCALS = 12 };
enum { HOST_STACK_BYTES = 256 << 10 }; /* of a work-item */

/* A kernel launch: kernel, arguments and numbers of groups. Only one launch runs at a time. */
struct host_launch {
    const char *program;
    const struct host_kernel *kernel;
    unsigned groups_x, groups_y, threads;
    const struct gpu_arg *args;
    unsigned nargs;
};
void host_launch(const struct host_launch *launch);

/* Exchanges `count` words of each work-item among the 32 work-items of a row.  In the result,
 * element [k][i] is word k of work-item i.  The result is valid until the caller's next wait. */
enum { HOST_ROW = 32, HOST_MOST_GIVEN = 6 };
const uint32_t (*host_exchange_words(const uint32_t *x, unsigned count))[HOST_ROW];

/* Which work-item runs now. `group` is its group's number in the launch, `place` the group's
 * number among the groups that run at the same time. `launch` is NULL outside launches. */
extern struct host_now {
    const struct host_launch *launch;
    unsigned item, group, place;
} host_now;

/* Prints the fault with its kernel and work-item, and its source line unless pc is NULL. Ends
 * the process.
 */
_Noreturn void host_fault(const void *pc, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

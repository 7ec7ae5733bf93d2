/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sleeping until a 32-bit word of memory changes. Several processes may share the word. Uses the
 * system call, because the C library's waits are cancellation points. */
#ifndef MPGPU_FUTEX_H
#define MPGPU_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps until *word differs from `value`, at most `ns` nanoseconds. May return early without a
 * reason. */
static inline void futex_sleep(atomic_uint *word, unsigned value, int64_t ns) {
    struct timespec time = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

static inline void futex_wake(atomic_uint *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Simulates a system with pages of 64 KiB: once `pages_are_wide` is set, madvise and sysconf behave
 * as on such a system.  Programs that use it are linked with $(WIDE_PAGES). */
#ifndef MPGPU_TEST_WIDE_PAGES_H
#define MPGPU_TEST_WIDE_PAGES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum { WIDE_PAGE = 1 << 16 };

static bool pages_are_wide;

int __real_madvise(void *p, size_t bytes, int advice);
int __wrap_madvise(void *p, size_t bytes, int advice);
int __wrap_madvise(void *p, size_t bytes, int advice) {
    if (!pages_are_wide)
        return __real_madvise(p, bytes, advice);
    if ((uintptr_t)p % WIDE_PAGE != 0) {
        errno = EINVAL;
        return -1;
    }
    return __real_madvise(p, (bytes + WIDE_PAGE - 1) / WIDE_PAGE * WIDE_PAGE, advice);
}

long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name) {
    return pages_are_wide && name == _SC_PAGESIZE ? WIDE_PAGE : __real_sysconf(name);
}

#endif

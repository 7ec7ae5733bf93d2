/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads or rewrites one byte of each page of operands and results before an operation
 * (lib/memory/touch.h). */
#include "config.h"

#include "lib/memory/touch.h"

#include <sys/mman.h>
#include <time.h>

#include "gpu/host/pages.h"
#include "lib/memory/range.h"
#include "lib/process/surroundings.h"

#ifndef MADV_POPULATE_READ /* Linux 5.14 */
#define MADV_POPULATE_READ 22
#endif

static bool is_needed(const struct touch *t) {
    return t->bytes > 0 && !range_owns(t->p);
}

/* Returns true if memory must be touched: some of it is outside the pool, and the program handles
 * page faults. Reads the signal handlers only for memory outside the pool, since reading them costs
 * time. */
static bool are_needed(const struct touch *touches, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_needed(&touches[i]))
            return surroundings_handle_faults();
    return false;
}

/* Rewrites the byte at p.  A load and then a store would cause two page faults on a new page.  This
 * exchange of 0 for 0 causes one, and fails for another byte, which the next exchange rewrites. */
static void rewrite(char *p) {
    char byte = 0;
    while (!__atomic_compare_exchange_n(p, &byte, byte, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void touch_pages(const struct touch *t) {
    const size_t page = pages_size();
    char *p = (char *)t->p, *end = p + t->bytes;
    if (t->is_written)
        pages_advise_large(p, t->bytes);
    for (; p < end; p = pages_of(p) + page) {
        if (t->is_written)
            rewrite(p);
        else
            (void)*(volatile char *)p;
    }
}

/* Returns true if the kernel can access the page of p without raising a signal. */
static bool page_is_accessible(const void *p) {
    return madvise(pages_of(p), pages_size(), MADV_POPULATE_READ) == 0;
}

/* Returns true if the pages are still accessible after all were touched. Checks only the first
 * page. If a handler keeps only a few pages accessible, it makes the first page inaccessible again
 * before the others. If even a page of the stack fails this check, the kernel does not support the
 * check, and the result is true. */
static bool pages_stay_accessible(const struct touch *touches, size_t count) {
    char here;
    for (size_t i = 0; i < count; i++)
        if (is_needed(&touches[i]))
            return page_is_accessible(touches[i].p) || !page_is_accessible(&here);
    return true;
}

bool touch_all(const struct touch *touches, size_t count) {
    if (!are_needed(touches, count))
        return true;
    for (size_t i = 0; i < count; i++)
        if (is_needed(&touches[i]))
            touch_pages(&touches[i]);
    return pages_stay_accessible(touches, count);
}

/* Rewrites a byte of each of the `count` pages at `begin` that is_present does not mark.  The byte
 * is at or after p, because earlier bytes of its page may belong to other threads. */
static bool touch_absent(char *p, char *begin, const unsigned char *is_present, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        char *byte = begin + i * pages_size();
        if (is_present[i] & 1)
            continue;
        rewrite(byte < p ? p : byte);
        any = true;
    }
    return any;
}

static uint64_t processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t touch_missing(void *p, size_t bytes) {
    enum { AT_ONCE = 1024 };
    unsigned char is_present[AT_ONCE];
    const size_t page = pages_size();
    const uint64_t start = processor_time();
    char *end = (char *)p + bytes;
    bool any = false;
    pages_advise_large(p, bytes);
    for (char *begin = pages_of(p); begin < end; begin += AT_ONCE * page) {
        size_t count = ((size_t)(end - begin) + page - 1) / page;
        count = count < AT_ONCE ? count : AT_ONCE;
        if (mincore(begin, count * page, is_present) == 0)
            any |= touch_absent(p, begin, is_present, count);
    }
    return any ? processor_time() - start : 0;
}

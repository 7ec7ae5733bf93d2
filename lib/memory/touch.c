/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads or rewrites one byte of each page of operands and results before an operation
 * (lib/memory/touch.h). */
#include "config.h"

#include "lib/memory/touch.h"

#include <sys/mman.h>

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

static void touch_pages(const struct touch *t) {
    const size_t page = pages_size();
    volatile char *p = (volatile char *)t->p, *end = p + t->bytes;
    if (t->is_written)
        pages_advise_large((void *)t->p, t->bytes);
    for (; p < end; p = pages_of((char *)p) + page) {
        char byte = *p;
        if (t->is_written)
            *p = byte;
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

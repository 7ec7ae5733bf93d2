/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Drivers take aligned memory and free it.  A program that has malloc and free of its own (GNU
 * Common Lisp) but leaves aligned memory to the C library does so at its own risk as long as
 * nothing in it asks for such. */
#include "lib/process/allocator.h"

#include <stddef.h>

#include "lib/base/objects.h"

/* The first object that defines the function, as all find it. */
static const void *maker(const char *function) {
    void *address = objects_next(NULL, function);
    return address ? objects_place(address).object : NULL;
}

int allocator_is_whole(void) {
    const void *first = maker("malloc");
    return maker("free") == first && maker("posix_memalign") == first &&
           maker("aligned_alloc") == first;
}

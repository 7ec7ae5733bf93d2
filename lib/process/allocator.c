/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Drivers allocate aligned memory and free it.  GNU Common Lisp has malloc and free of its own, but
 * leaves aligned memory to the C library: that works only while nobody asks for it.  Inside a call
 * of GMP's its malloc may collect garbage, and then leaves the call by longjmp. */
#include "lib/process/allocator.h"

#include <stddef.h>

#include "lib/base/objects.h"

/* The first object that defines the function, as the dynamic linker finds it. */
static const void *definer(const char *function) {
    void *address = objects_next(NULL, function);
    return address ? objects_place(address).object : NULL;
}

bool allocator_is_complete(void) {
    const void *first = definer("malloc");
    return definer("free") == first && definer("posix_memalign") == first &&
           definer("aligned_alloc") == first;
}

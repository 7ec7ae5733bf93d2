/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out whether the process has one complete allocator. Drivers allocate aligned memory and
 * free it. GNU Common Lisp defines its own malloc and free, but no functions for aligned memory, so
 * a driver's block would be freed by another allocator. Its malloc may also collect garbage during
 * a GMP call and leave the call by longjmp. */
#include "lib/process/allocator.h"

#include <stddef.h>

#include "lib/base/objects.h"

/* Returns the first loaded object that defines the function, in the search order of the dynamic
 * linker. */
static const void *definer(const char *function) {
    void *address = objects_next(NULL, function);
    return address ? objects_place(address).object : NULL;
}

bool allocator_is_complete(void) {
    const void *first = definer("malloc");
    return definer("free") == first && definer("posix_memalign") == first &&
           definer("aligned_alloc") == first;
}

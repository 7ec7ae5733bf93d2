/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Drivers allocate aligned memory and free it. GNU Common Lisp has its own malloc and free, but not
 * its own aligned memory; that works only while no caller asks for aligned memory. During a GMP
 * call its malloc may collect garbage and leave the call by longjmp. */
#include "lib/process/allocator.h"

#include <stddef.h>

#include "lib/base/objects.h"

/* Returns the first object that defines the function, as the dynamic linker finds it. */
static const void *definer(const char *function) {
    void *address = objects_next(NULL, function);
    return address ? objects_place(address).object : NULL;
}

bool allocator_is_complete(void) {
    const void *first = definer("malloc");
    return definer("free") == first && definer("posix_memalign") == first &&
           definer("aligned_alloc") == first;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Drivers take aligned memory and free it.  A program that has malloc and free of its own (GNU
 * Common Lisp) but leaves aligned memory to the C library does so at its own risk as long as
 * nothing in it asks for such. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, dladdr */
#include "allocator.h"

#include <dlfcn.h>
#include <stddef.h>

/* Where the object begins that gives the process this function; NULL if none does. */
static const void *maker(const char *function) {
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, function);
    return address && dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

int allocator_is_whole(void) {
    static const char *const others[] = {"malloc", "posix_memalign", "aligned_alloc"};
    const void *free_maker = maker("free");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (maker(others[i]) != free_maker)
            return 0;
    return 1;
}

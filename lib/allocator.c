/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Drivers take aligned memory and free it.  A program that has malloc and free of its own (GNU
 * Common Lisp) but leaves aligned memory to the C library does so at its own risk as long as
 * nothing in it asks for such. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, dladdr1 */
#include "allocator.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>

/* Where the object begins that gives the process this function; NULL if none does, or if the
 * address is only that of a stub: in a program at a fixed address it stands for a function
 * of a library, in all comparisons of pointers. */
static const void *maker(void *scope, const char *function) {
    Dl_info info;
    void *address = dlsym(scope, function), *symbol = NULL;
    if (!address || dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0)
        return NULL;
    const ElfW(Sym) *known = symbol;
    return known && known->st_shndx == SHN_UNDEF ? NULL : info.dli_fbase;
}

/* 1: all of one make, 0: not, -1: not to be told from these addresses. */
static int compare(void *scope) {
    static const char *const functions[] = {"malloc", "free", "posix_memalign", "aligned_alloc"};
    const void *first = maker(scope, functions[0]);
    int same = 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const void *next = maker(scope, functions[i]);
        if (!next)
            return -1;
        same = same && next == first;
    }
    return same;
}

int allocator_is_whole(void) {
    int same = compare(RTLD_DEFAULT);
    return same >= 0 ? same : compare(RTLD_NEXT) != 0; /* the libraries behind this one */
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where GMP's own functions are. */
#define _GNU_SOURCE 1
#include "real.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

struct real real;

static const char *const symbols[] = {
#define FUNCTION(symbol, type, parameters) #symbol,
#include "functions.def"
#undef FUNCTION
};

enum { SYMBOLS = sizeof symbols / sizeof *symbols };
_Static_assert(sizeof(struct real) == SYMBOLS * sizeof(void *), "pointers to functions only");

static void *object_of(const void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Whether an address lies in this library, or in another copy of it (preloaded
 * into a program that is linked with it, from another folder). */
static int is_ours(const void *address) {
    const void *object = object_of(address);
    return object == object_of(&real) || object == object_of(dlsym(RTLD_NEXT, "mpgpu_version"));
}

static void *find(const char *symbol) {
    void *address = dlsym(RTLD_NEXT, symbol);
    if (address && !is_ours(address))
        return address;
    void *gmp = dlopen("libgmp.so.10", RTLD_NOW | RTLD_LOCAL);
    address = gmp ? dlsym(gmp, symbol) : NULL;
    return address && !is_ours(address) ? address : NULL;
}

static void missing(void) {
    mpgpu_say("a function was called that this libgmp does not have");
    abort();
}

void real_resolve(void) {
    for (int i = 0; i < SYMBOLS; i++) {
        void *address = find(symbols[i]);
        void (*stand_in)(void) = missing;
        if (!address) {
            mpgpu_say("libgmp has no %s", symbols[i]);
            memcpy(&address, &stand_in, sizeof address);
        }
        memcpy((char *)&real + i * sizeof address, &address, sizeof address);
    }
}

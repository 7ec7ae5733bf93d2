/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Is a file a libgmp that this library can stand before? */
#define _GNU_SOURCE 1 /* dladdr */
#include "config.h"

#include "tools/replace/shape.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/gmp/symbols.h"

enum { LIMB_BITS = 64 };

bool shape_is_same(const char *a, const char *b) {
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

/* In the file itself: another stand-in has GMP's functions from elsewhere. */
static bool is_from(const char *path, const void *address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname && shape_is_same(info.dli_fname, path);
}

/* The functions that the library calls and does not intercept, GMP's multiplication, and the size
 * of limbs. */
static bool check_symbols(void *library, const char *path, struct trouble *why) {
    const char *symbol = symbols_names;
    const void *mul = dlsym(library, "__gmpz_mul");
    const int *bits = dlsym(library, "__gmp_bits_per_limb");
    if (!mul || !bits)
        return trouble(why, "%s is no GMP: it has no %s", path,
                       mul ? "mp_bits_per_limb" : "mpz_mul");
    if (!is_from(path, mul))
        return trouble(why, "%s has its mpz_mul from another library", path);
    if (*bits != LIMB_BITS)
        return trouble(why, "%s has limbs of %d bits, not of %d", path, *bits, LIMB_BITS);
    for (int i = 0; i < SYMBOLS_ALL; i++, symbol = symbols_next(symbol))
        if (i >= SYMBOLS_INTERCEPTED && !dlsym(library, symbol))
            return trouble(why, "%s is another GMP than this library knows: it has no %s", path,
                           symbol);
    return true;
}

bool shape_check(const char *path, struct trouble *why) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        const char *error = dlerror();
        return trouble(why, "%s", error ? error : path);
    }
    return check_symbols(library, path, why); /* it stays loaded: this process ends soon */
}

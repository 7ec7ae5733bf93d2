/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loads a libgmp that a preload cannot intercept, into a separate linker namespace. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <string.h>

#include "tests/differential/differential.h"

const struct reference intercepted = {
#define FUNCTION(symbol, type, parameters, arguments) .symbol = symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
};

int reference_load(struct reference *reference) {
    static const char *const symbols[] = {
#define FUNCTION(symbol, type, parameters, arguments) #symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
        "__gmpz_init", "__gmpz_set", "__gmpz_clear", "__ctype_init", "fmemopen", "getc", "fclose",
    };
    void *gmp = dlmopen(LM_ID_NEWLM, "libgmp.so.10", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; gmp && i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(gmp, symbols[i]);
        if (!address)
            return 0;
        memcpy((char *)reference + i * sizeof address, &address, sizeof address);
    }
    return gmp != NULL;
}

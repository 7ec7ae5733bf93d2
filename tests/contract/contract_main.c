/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests GMP's memory contract (contract.c) for every intercepted function.  It is a plain GMP
 * program, which runs with the library preloaded, and calls the differential test's cases of each
 * function.
 * Usage: contract SEED RUNS MOST-LIMBS [FUNCTION]...
 * Exit status: 0 good, 1 a failed property or wrong result, 2 bad arguments or no library, 77 no
 * device or no second libgmp. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gmp/symbols.h"
#include "tests/contract/contract.h"

static const char *const symbols[] = {
#define FUNCTION(symbol, type, parameters, arguments) #symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
};
enum { FUNCTIONS = sizeof symbols / sizeof *symbols };

/* Returns true for functions that need not be compared: the test cases call few of GMP's own
 * functions by these names.  The others share their code with gmp_vsnprintf, gmp_vsscanf and
 * mpf_out_str. */
static bool is_exempt(const char *function) {
    if (strcmp(function, "gmp_vsnprintf") == 0 || strcmp(function, "gmp_vsscanf") == 0)
        return false;
    return strstr(function, "memory_functions") || strstr(function, "printf") ||
           strstr(function, "scanf") || strcmp(function, "mpz_out_str") == 0;
}

enum { MOST_RUNS = 1000 };

/* Runs `runs` random calls of a function, or more until one of them was compared with GMP's.
 * Returns false after a wrong result, or if none was compared. */
static bool run_function(struct run *run, int function, unsigned long runs) {
    const char *name = symbols_public(symbols[function]);
    for (unsigned long i = 0;
         i < runs || (i < MOST_RUNS && calls_of(function) == 0 && !is_exempt(name)); i++) {
        calls_forget();
        if (!differential_run(run, name))
            return false;
    }
    if (calls_of(function) == 0 && !is_exempt(name)) {
        fprintf(stderr, "contract: %s: none of its calls was looked at\n", name);
        return false;
    }
    return true;
}

static bool is_asked_for(const char *function, int argc, char **argv) {
    for (int i = 4; i < argc; i++)
        if (strcmp(argv[i], function) == 0)
            return true;
    return argc <= 4;
}

static bool run_all(struct run *run, unsigned long runs, int argc, char **argv) {
    bool good = true;
    for (int i = 0; i < FUNCTIONS; i++)
        if (is_asked_for(symbols_public(symbols[i]), argc, argv))
            good &= run_function(run, i, runs);
    return good;
}

/* Calls a function of the library that has no arguments.  Looks the function up by its name,
 * because this program is not linked with the library. */
static unsigned long call(const char *function) {
    unsigned long (*f)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, function);
    if (!f) {
        fprintf(stderr, "contract: libmpgpu-gmp is not in front of GMP\n");
        exit(2);
    }
    return f();
}

int main(int argc, char **argv) {
    struct reference gmp, counted;
    if (argc < 4)
        return 2;
    struct run run = {&counted, strtoul(argv[1], NULL, 10), 1, strtoul(argv[3], NULL, 10), 0, NULL,
                      NULL};
    if (!(int)call("mpgpu_wait") || !reference_load(&gmp)) {
        puts("skipped: no device, or no libgmp for reference");
        return 77;
    }
    if (!calls_open(&gmp, &counted))
        return 2;
    bool good = run_all(&run, strtoul(argv[2], NULL, 10), argc, argv) && contract_failures() == 0;
    printf("contract: seed %s, %lu calls computed by the device, %lu failures\n", argv[1],
           call("mpgpu_sent"), contract_failures());
    return !good;
}

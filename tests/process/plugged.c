/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For test_plugin.sh: a program that is not linked with GMP and loads it later.
 * Usage: plugged STEP...
 *   STEP  PLUGIN: opens and calls the plug-in; -PLUGIN: also closes it
 *         own:PLUGIN: opens the plug-in, which sets memory functions of its own
 *         grow:PLUGIN: opens the plug-in, which computes with a number that it keeps
 *         end:PLUGIN: opens the plug-in, which frees that number
 *         handler:PLUGIN: opens the plug-in, calls it in a signal handler, and closes it; prints
 *         how often it has called malloc and related functions there
 *         apart:PLUGIN: opens the plug-in in a new linker namespace, and calls it
 *         gmp:PATH: opens the libgmp at PATH and calls it through dlsym
 *         sight: prints whether GMP's functions are in the global scope */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gmp.h> /* types only */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/counted_malloc.h"

static void *symbol(void *handle, const char *name) {
    void *address = dlsym(handle, name);
    if (!address) {
        printf("no %s: %s\n", name, dlerror());
        exit(1);
    }
    return address;
}

static void *open_now(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return handle;
}

static void call_apart(const char *path) {
    void *handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    ((void (*)(void))symbol(handle, "plugin_work"))();
}

static void call_plugin(const char *path, const char *function, int closes) {
    void *handle = open_now(path);
    ((void (*)(void))symbol(handle, function))();
    if (closes)
        dlclose(handle);
}

static void (*in_handler)(void);

static void call_counted(int signal) {
    (void)signal;
    is_inside = 1;
    in_handler();
    is_inside = 0;
}

static void call_in_handler(const char *path) {
    void *handle = open_now(path);
    in_handler = (void (*)(void))symbol(handle, "plugin_square");
    signal(SIGUSR1, call_counted);
    raise(SIGUSR1);
    dlclose(handle);
    printf("malloc called %d times\n", asked);
}

/* Computes 7^4096 by functions of a handle, as a program does for which GMP is optional. */
static void call_gmp(void *handle) {
    void (*init)(mpz_ptr, unsigned long) =
        (void (*)(mpz_ptr, unsigned long))symbol(handle, "__gmpz_init_set_ui");
    void (*mul)(mpz_ptr, mpz_srcptr, mpz_srcptr) =
        (void (*)(mpz_ptr, mpz_srcptr, mpz_srcptr))symbol(handle, "__gmpz_mul");
    char *(*get)(char *, int, mpz_srcptr) =
        (char *(*)(char *, int, mpz_srcptr))symbol(handle, "__gmpz_get_str");
    mpz_t x;
    init(x, 7);
    for (int i = 0; i < 12; i++)
        mul(x, x, x);
    char *text = get(NULL, 10, x);
    printf("7^4096 = %.40s...\n", text);
    free(text);
    ((void (*)(mpz_ptr))symbol(handle, "__gmpz_clear"))(x);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "gmp:", 4) == 0)
            call_gmp(open_now(argv[i] + 4));
        else if (strcmp(argv[i], "sight") == 0)
            puts(dlsym(RTLD_DEFAULT, "__gmpz_init") ? "GMP is in sight" : "no GMP in sight");
        else if (strncmp(argv[i], "apart:", 6) == 0)
            call_apart(argv[i] + 6);
        else if (strncmp(argv[i], "handler:", 8) == 0)
            call_in_handler(argv[i] + 8);
        else if (strncmp(argv[i], "own:", 4) == 0)
            call_plugin(argv[i] + 4, "plugin_own_memory", 0);
        else if (strncmp(argv[i], "grow:", 5) == 0)
            call_plugin(argv[i] + 5, "plugin_grow", 0);
        else if (strncmp(argv[i], "end:", 4) == 0)
            call_plugin(argv[i] + 4, "plugin_end", 0);
        else
            call_plugin(argv[i] + (*argv[i] == '-'), "plugin_work", *argv[i] == '-');
    }
    return 0;
}

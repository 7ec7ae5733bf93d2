/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program that is not linked with GMP and comes to it later, for test_plugin.sh.
 * Usage: plugged STEP...
 *   STEP   a plug-in to open and to call; with -PLUGIN it is closed again
 *          own:PLUGIN, grow:PLUGIN, end:PLUGIN: open it, and let it set memory functions, work on a
 *          number that it keeps, or free that
 *          apart:PLUGIN: open it in a namespace of its own, and call it
 *          gmp:PATH: open that libgmp and call it through dlsym
 *          sight: say whether functions that no preload has are in the global scope */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gmp.h> /* types only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* 7^4096 through the functions of a handle, as a program does that has GMP as an option. */
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

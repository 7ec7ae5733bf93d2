/* SPDX-License-Identifier: LGPL-3.0-or-later
 * LD_PRELOAD of the program. */
#include "config.h"

#include "tools/run/preload.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/say.h"

static const char separators[] = ": ";

/* What was preloaded is loaded; what is not is tried for its reason. */
static void check_one(const char *name) {
    void *loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded)
        loaded = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const char *error = loaded ? NULL : dlerror();
    if (error)
        run_say("LD_PRELOAD names %s", error);
}

void run_preload_check(const char *list) {
    char *copy = strdup(list), *rest = copy, *name;
    while (rest && (name = strsep(&rest, separators)))
        if (*name)
            check_one(name);
    free(copy);
}

static bool begins(const char *text, const char *head) {
    return strncmp(text, head, strlen(head)) == 0;
}

/* GMP, or the library itself, which an mpgpu-run outside of this one has put there. */
static bool is_gmp(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return begins(name, "libgmp.so") || begins(name, "libgmp-") || begins(name, "libmpgpu-gmp.so");
}

static void append(char *list, const char *name) {
    if (*list)
        strcat(list, ":");
    strcat(list, name);
}

char *run_preload_add(const char *list, const char *library) {
    char *copy = strdup(list), *rest = copy, *name;
    char *result = calloc(1, strlen(list) + strlen(library) + 2);
    bool is_placed = false;
    if (!copy || !result)
        run_fail(RUN_FAILED, "no memory");
    while (rest && (name = strsep(&rest, separators))) {
        if (is_gmp(name) && !is_placed) {
            append(result, library);
            is_placed = true;
        }
        if (*name)
            append(result, name);
    }
    if (!is_placed)
        append(result, library);
    free(copy);
    return result;
}

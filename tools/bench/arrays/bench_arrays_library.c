/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The library that mpgpu-bench arrays calls. */
#include "config.h"

#include "tools/bench/arrays/bench_arrays_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/threads/bench_team.h"

/* The library reads the environment when it is called first. */
static bool set_options(const char *conf) {
    const char *old = getenv("MPGPU_CONF");
    char text[2048];
    int length = snprintf(text, sizeof text, "%s%s%s", old ? old : "", old ? "," : "", conf);
    if (length < (int)sizeof text && (!*conf || setenv("MPGPU_CONF", text, 1) == 0))
        return true;
    fprintf(stderr, "mpgpu-bench: arrays: too many options of the library\n");
    return false;
}

static bool find(void *handle, const char *name, void *function) {
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    if (!address)
        fprintf(stderr, "mpgpu-bench: the library has no %s\n", name);
    return address != NULL;
}

bool bench_arrays_library_open(struct bench_arrays_library *lib, const char *path,
                               const char *conf) {
    char found[4096];
    bool has_all = true;
    if (!set_options(conf) || (!path && !bench_team_find_library(found, sizeof found)))
        return false;
    void *handle = dlopen(path ? path : found, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "mpgpu-bench: without the library: %s\n", dlerror());
        return false;
    }
#define FIND(name) has_all &= find(handle, "mpgpu_" #name, &lib->name);
    BENCH_ARRAYS_FUNCTIONS(FIND)
#undef FIND
    if (has_all)
        lib->wait();
    return has_all;
}

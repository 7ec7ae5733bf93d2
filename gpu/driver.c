/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loads a driver's shared library at run time, for all backends. */
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/gpu.h"

/* Looks up the symbols of `names` and stores their addresses in consecutive function pointers from
 * `function`. Returns the first symbol that the library lacks, or NULL. Uses memcpy, because ISO C
 * forbids casting dlsym's result to a function pointer. */
static const char *get_symbols(void *library, const char *names, char *function) {
    const char *missing = NULL;
    for (const char *name = names; *name; name += strlen(name) + 1) {
        void *symbol = dlsym(library, name);
        missing = symbol || missing ? missing : name;
        memcpy(function, &symbol, sizeof symbol);
        function += sizeof symbol;
    }
    return missing;
}

static atomic_bool any;

bool gpu_has_driver(void) {
    return atomic_load(&any);
}

/* Loads the library. Sets `any` before it checks gpu_stopped(). A thread that ends the program
 * calls gpu_stop, then gpu_has_driver. So either this function loads nothing, or that thread sees
 * `any`. */
static enum gpu_status load(const struct driver *d) {
    atomic_store(&any, true);
    if (gpu_stopped())
        return gpu_fail(GPU_ABSENT, "the program is ending");
    void *library = dlopen(d->library, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return gpu_fail(GPU_ABSENT, "%s", dlerror());
    const char *missing = get_symbols(library, d->symbols, d->functions);
    if (missing) {
        dlclose(library);
        return gpu_fail(GPU_ABSENT, "%s has no %s", d->library, missing);
    }
    return d->init && d->init() != GPU_OK ? GPU_ABSENT : GPU_OK;
}

enum gpu_status driver_get(struct driver *d) {
    pthread_mutex_lock(&d->mutex);
    if (!d->tried) {
        d->tried = 1;
        d->status = load(d);
        if (d->status != GPU_OK) {
            snprintf(d->text, sizeof d->text, "%s", gpu_error_text());
            gpu_log(GPU_LOG_DETAIL, "%s: %s", d->backend, d->text);
        }
    }
    pthread_mutex_unlock(&d->mutex);
    return d->status == GPU_OK ? GPU_OK : gpu_fail(d->status, "%s", d->text);
}

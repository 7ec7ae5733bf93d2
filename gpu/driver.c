/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loading a driver's library at run time, for all backends. */
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/gpu.h"

/* The first symbol that the library lacks, or NULL.  memcpy, since ISO C has no
 * cast from what dlsym returns to a pointer to a function. */
static const char *get_symbols(void *library, const struct driver *d) {
    char *function = d->functions;
    for (const char *name = d->symbols; *name; name += strlen(name) + 1) {
        void *symbol = dlsym(library, name);
        if (!symbol)
            return name;
        memcpy(function, &symbol, sizeof symbol);
        function += sizeof symbol;
    }
    return NULL;
}

static enum gpu_status load(const struct driver *d) {
    void *library = dlopen(d->library, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return gpu_fail(GPU_ABSENT, "%s", dlerror());
    const char *missing = get_symbols(library, d);
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

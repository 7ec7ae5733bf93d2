/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loading a driver's library at run time, for all backends. */
#ifndef MPGPU_DRIVER_H
#define MPGPU_DRIVER_H

#include <pthread.h>
#include <stddef.h>

#include "gpu/gpu.h"

/* A function of the driver, and where its pointer goes. */
struct driver_symbol {
    const char *name;
    void *slot;
};

/* A driver: one static object a backend. */
struct driver {
    const char *backend; /* for messages */
    const char *library; /* for dlopen */
    const struct driver_symbol *symbols;
    size_t count;
    enum gpu_status (*init)(void); /* called when all symbols are there; may be NULL */
    pthread_mutex_t mutex;         /* PTHREAD_MUTEX_INITIALIZER; for what follows */
    int tried;
    int status;     /* of the loading */
    char text[256]; /* why it failed */
};

/* Load it at the first call: GPU_OK, or GPU_ABSENT with the reason as error text. */
enum gpu_status driver_get(struct driver *d);

#endif

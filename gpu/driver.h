/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loading a driver's library at run time, for all backends. */
#ifndef MPGPU_DRIVER_H
#define MPGPU_DRIVER_H

#include <pthread.h>

#include "gpu/gpu.h"

/* A driver: one static object a backend. */
struct driver {
    const char *backend;           /* for messages */
    const char *library;           /* for dlopen */
    const char *symbols;           /* their names, each with its NUL; an empty one ends them */
    void *functions;               /* a struct with a function pointer for each, in this order */
    enum gpu_status (*init)(void); /* called when all symbols are there; may be NULL */
    pthread_mutex_t mutex;         /* PTHREAD_MUTEX_INITIALIZER; for what follows */
    int tried;
    int status;     /* of the loading */
    char text[256]; /* why it failed */
};

/* Load it at the first call: GPU_OK, or GPU_ABSENT with the reason as error text. */
enum gpu_status driver_get(struct driver *d);

#endif

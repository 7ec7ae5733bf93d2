/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loads a driver's shared library at run time, for all backends. */
#ifndef MPGPU_DRIVER_H
#define MPGPU_DRIVER_H

#include <pthread.h>

#include "gpu/gpu.h"

/* A driver's library, one static object for each. */
struct driver {
    const char *backend; /* for messages */
    const char *library; /* for dlopen */
    const char *symbols; /* the functions' names, each with its NUL; an empty name ends the list */
    void *functions;     /* a struct with one function pointer for each name, in the same order */
    enum gpu_status (*init)(void); /* called after all symbols were found; may be NULL */
    pthread_mutex_t mutex;         /* PTHREAD_MUTEX_INITIALIZER; guards the fields below */
    int tried;
    int status;     /* of the loading */
    char text[256]; /* why it failed */
};

/* Loads the library at the first call. Returns GPU_OK, or GPU_ABSENT with the reason as error
 * text. */
enum gpu_status driver_get(struct driver *d);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The test program served.c in a process that cannot create threads: pthread_create fails. */
#include <errno.h>
#include <pthread.h>

#include "tests/process/served.c"

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
    (void)thread, (void)attributes, (void)function, (void)argument;
    return EAGAIN;
}

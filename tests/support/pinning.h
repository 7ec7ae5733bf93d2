/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Mock page-locking.  Registered memory moves to pages of a file, which are also mapped at a second
 * address.  A copy through the second address reaches these pages even if the first address has
 * other pages by then, as a device's copy would. */
#ifndef MPGPU_TEST_PINNING_H
#define MPGPU_TEST_PINNING_H

#include <stddef.h>

/* Implement a backend's host_register and host_unregister.  Only one thread may call them at a
 * time. */
enum gpu_status pinning_register(void *host, size_t bytes);
void pinning_unregister(void *host);

/* Returns the second, permanent address of {host, bytes}; NULL if this memory is not within one
 * registration. */
void *pinning_pages(const void *host, size_t bytes);

/* Returns the number of current registrations. */
int pinning_count(void);

#endif

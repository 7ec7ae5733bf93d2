/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Mock page-locking: registered memory moves to pages of a file, which are mapped a second time
 * elsewhere.  A copy through that mapping reaches the same pages as a device's copy, even if the
 * address is mapped to other pages by then. */
#ifndef MPGPU_TEST_PINNING_H
#define MPGPU_TEST_PINNING_H

#include <stddef.h>

/* For a backend's host_register and host_unregister; one thread at a time. */
enum gpu_status pinning_register(void *host, size_t bytes);
void pinning_unregister(void *host);

/* Returns a permanent address of the pages of {host, bytes}, or NULL if they are not within one
 * registration. */
void *pinning_pages(const void *host, size_t bytes);

/* How many registrations there are. */
int pinning_count(void);

#endif

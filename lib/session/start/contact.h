/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides when a program begins to use a device. The rule is "rent, then buy": GMP computes calls
 * (rent) until the time that it has spent justifies opening a device (the purchase).
 *
 * With open:background the library at first contacts no device, driver or server, and starts no
 * thread. It contacts a device when GMP has spent enough time in calls that a device could have
 * computed: 3 ms if mpgpu-serve runs on a machine with a GPU, with server:only or in a child of
 * fork, otherwise 20 ms. */
#ifndef MPGPU_CONTACT_H
#define MPGPU_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the library may contact a device: GMP has spent enough time, contact_allow was
 * called, or the option is open:now, open:wait or backend:none. Any thread may call it. */
bool contact_is_allowed(void);

/* Adds `ns` nanoseconds to the time that GMP has spent. Returns true in the call from which on a
 * device may be contacted. Any thread may call it; it takes no lock. */
bool contact_add_time(int64_t ns);

/* Call it when GMP begins a call that takes at least `ns` nanoseconds. Returns true in the first
 * call for which GMP's time so far plus `ns` suffices to contact a device. Adds nothing to that
 * time. */
bool contact_expect(int64_t ns);

/* Allows contacting a device at once. Called if the program itself asks for a device, for example
 * through mpgpu.h. */
void contact_allow(void);

/* Resets the time that GMP has spent to 0, in a child of fork. A child can only use a server that
 * already runs. */
void contact_reset(void);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides when a program begins to use a device, by the rule "rent, then buy": GMP computes
 * calls (rent) until it has spent so much time that opening a device (the purchase) is
 * justified.
 *
 * With open:background the library at first contacts no device, driver or server, and starts no
 * thread. It begins when GMP has spent 3 ms in calls that a device could have computed, if
 * mpgpu-serve runs on a machine with a GPU; otherwise 20 ms. So a short program pays nothing. */
#ifndef MPGPU_CONTACT_H
#define MPGPU_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the library may contact a device: GMP has spent enough time, or the option is
 * open:now or open:wait. Any thread. */
bool contact_is_allowed(void);

/* Adds `ns` nanoseconds to GMP's time. Returns true if a device may be contacted from now on.
 * Checks once per process whether a server's socket exists. Any thread; takes no lock. */
bool contact_add_time(int64_t ns);

/* For a call that GMP begins now and that takes at least `ns` nanoseconds. Returns true if GMP's
 * earlier time plus `ns` suffices to contact a device from now on; adds nothing to GMP's time. */
bool contact_expect(int64_t ns);

/* Allows contacting a device at once: the program itself uses a device, for example by mpgpu.h. */
void contact_allow(void);

/* Resets GMP's time to 0 in a child of fork. The child can only use a running server. */
void contact_reset(void);

#endif

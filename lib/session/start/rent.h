/* SPDX-License-Identifier: LGPL-3.0-or-later
 * When a program asks for a device: rent, then buy.
 *
 * With open:background the library asks no device, driver or server for anything, and starts no
 * thread at first.  It begins when GMP has spent some time in calls that a device could have
 * computed. That time is 3 ms if mpgpu-serve runs on a machine with a GPU, 20 ms otherwise. So a
 * short program pays nothing. */
#ifndef MPGPU_RENT_H
#define MPGPU_RENT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if a device may be asked for. Always true with open:now and open:wait. Any thread.
 */
bool rent_is_paid(void);

/* Counts `ns` nanoseconds of GMP's time. Returns true if this pays the rent. Checks once per
 * process whether a server's socket exists. Any thread; takes no lock. */
bool rent_pay(int64_t ns);

/* As rent_pay, for a call that GMP begins now and that takes at least `ns` nanoseconds. They count
 * only if they pay the rent together with earlier time. */
bool rent_expect(int64_t ns);

/* Counts the rent as paid: the program asks for a device itself, as by mpgpu.h. */
void rent_waive(void);

/* Resets the count in a child of fork, which pays for itself and can only use a server that runs.
 */
void rent_renew(void);

#endif

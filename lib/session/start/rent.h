/* SPDX-License-Identifier: LGPL-3.0-or-later
 * When a program pays for a device: rent, then buy.
 *
 * With open:background no device, driver or server is asked for anything, and no thread is made,
 * until GMP has spent some time in calls that a device could have computed: 1 ms if mpgpu-serve
 * runs on a machine with a GPU, 20 ms otherwise.  So a short program pays nothing. */
#ifndef MPGPU_RENT_H
#define MPGPU_RENT_H

#include <stdbool.h>
#include <stdint.h>

/* May a device be asked for?  Always true with open:now and open:wait.  Any thread. */
bool rent_is_paid(void);

/* Counts `ns` nanoseconds of GMP's.  Returns true if the rent is paid by that.  Looks once in a
 * process whether a server's socket exists.  Any thread; takes no lock. */
bool rent_pay(int64_t ns);

/* The same for a call that GMP begins, and that takes `ns` nanoseconds at least.  They count only
 * if they suffice with what was spent before. */
bool rent_expect(int64_t ns);

/* The program asks for a device itself, as by mpgpu.h: the rent counts as paid. */
void rent_waive(void);

/* In a child of fork: it pays for itself.  There only a server that runs can be asked. */
void rent_renew(void);

#endif

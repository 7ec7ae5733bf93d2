/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-gmp's own functions. A program needs none of them: linked with the
 * library or run under mpgpu-run, its GMP calls go to the device by themselves. */
#ifndef MPGPU_H
#define MPGPU_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version, "major.minor.patch"; a static string. */
const char *mpgpu_version(void);

/* Waits until the device is open, so that the first large product finds it
 * there. 1 if there is one, 0 if none can be used.  Any thread, any number of
 * times; at the first call it may take seconds. */
int mpgpu_wait(void);

/* How many operations the device has computed in this process so far. */
unsigned long mpgpu_sent(void);

#ifdef __cplusplus
}
#endif

#endif

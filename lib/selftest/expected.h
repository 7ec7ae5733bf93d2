/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lists the programs that a device will need, so that they can be built ahead (gpu_expect in
 * gpu/gpu.h). */
#ifndef MPGPU_EXPECTED_H
#define MPGPU_EXPECTED_H

/* Calls gpu_expect with the programs of selftest_all, and those for products, quotients, roots and
 * conversions. Must be called before a device is opened. */
void expected_tell(void);

#endif

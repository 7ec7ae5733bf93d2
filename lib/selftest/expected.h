/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The programs that a device will be asked for (gpu_expect in gpu/gpu.h). */
#ifndef MPGPU_EXPECTED_H
#define MPGPU_EXPECTED_H

/* Tells gpu/ of those that selftest_all launches, and of those that products, quotients, roots and
 * conversions go on with.  Before a device is looked for. */
void expected_tell(void);

#endif

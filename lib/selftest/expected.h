/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The programs that a device will need (gpu_expect in gpu/gpu.h). */
#ifndef MPGPU_EXPECTED_H
#define MPGPU_EXPECTED_H

/* Announces to gpu/ the programs that selftest_all launches, and the programs for products,
 * quotients, roots and conversions.  Must be called before a device is searched for. */
void expected_tell(void);

#endif

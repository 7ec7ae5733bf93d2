/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lists the programs of kernels that a device will need, so that they can be built in advance
 * (gpu_expect in gpu/gpu.h). */
#ifndef MPGPU_EXPECTED_H
#define MPGPU_EXPECTED_H

/* Calls gpu_expect with the programs of selftest_all, and with the programs for products,
 * quotients, roots and, on GPUs, conversions. Call it before a device is opened. */
void expected_tell(void);

#endif

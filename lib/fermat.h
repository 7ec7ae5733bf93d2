/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli by which a product modulo B^n - 1 or B^n + 1, B = 2^64, can be checked. */
#ifndef MPGPU_FERMAT_H
#define MPGPU_FERMAT_H

#include <stddef.h>
#include <stdint.h>

/* A divisor of B^rn - 1, or of B^rn + 1 if `plus`: odd, below 2^61, and where there are
 * several, another one each call.  0 if none is known, as for many B^rn + 1: then products in that
 * ring are computed in full on the device, and checked there modulo a random number, but
 * a host that has only u, v and the result can but compute it again.  Any thread. */
uint64_t mpgpu_ring_modulus(size_t rn, int plus);

#endif

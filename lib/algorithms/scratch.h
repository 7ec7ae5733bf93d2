/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Scratch memory of composite operations. Some is kept from one to the next, touched: fresh
 * memory's page faults take longer than a fast device does for the products. */
#ifndef MPGPU_SCRATCH_H
#define MPGPU_SCRATCH_H

#include <gmp.h>
#include <stddef.h>

/* n limbs, not cleared; NULL if there is no memory.  Any thread. */
mp_ptr scratch_alloc(size_t n);

/* Back; NULL does nothing. */
void scratch_free(mp_ptr p);

#endif

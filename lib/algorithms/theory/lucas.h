/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The strong Lucas test, inside a composite operation. */
#ifndef MPGPU_LUCAS_H
#define MPGPU_LUCAS_H

#include "lib/algorithms/theory/modular.h"

/* Is the odd number m->n, of at least two limbs, a prime, or a strong Lucas pseudoprime of
 * Selfridge's parameters?  Where memory fails m->failed says so. */
bool lucas_passes(struct modular *m);

#endif

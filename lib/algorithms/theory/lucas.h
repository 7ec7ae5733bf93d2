/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The strong Lucas test, by products that the device or GMP computes. */
#ifndef MPGPU_LUCAS_H
#define MPGPU_LUCAS_H

#include "lib/algorithms/theory/modular.h"

/* Returns true if the odd number m->n, of at least two limbs, is a prime or a strong Lucas
 * pseudoprime for Selfridge's parameters. */
bool lucas_passes(struct modular *m);

#endif

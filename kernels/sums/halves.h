/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products that are computed from two halves, their residues modulo B^n - 1 and B^n + 1:
 * definitions for the host and the kernels. */
#ifndef HALVES_H
#define HALVES_H

/* Number of chunks of a group of halves_carry. There are fewer chunks than work-items, because the
 * group handles chunks with a far-reaching carry one after another. */
#define HALVES_CHUNKS 32u

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the host's part of products from halves has in common with their kernels. */
#ifndef HALVES_H
#define HALVES_H

/* Chunks of a group of halves_carry: fewer than it has work-items, since it does those in which a
 * carry goes far one after another. */
#define HALVES_CHUNKS 32u

#endif

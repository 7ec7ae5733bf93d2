/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products from halves: definitions for the host and the kernels. */
#ifndef HALVES_H
#define HALVES_H

/* Number of chunks of a group of halves_carry. There are fewer chunks than work-items, because the
 * group handles chunks with a far-reaching carry one after another. */
#define HALVES_CHUNKS 32u

#endif

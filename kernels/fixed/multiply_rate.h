/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the host and multiply_rate.cl share. */
#ifndef MULTIPLY_RATE_H
#define MULTIPLY_RATE_H

#define RATE_THREADS 128
#define RATE_CHAINS 8     /* sums of a work-item, each independent of the others */
#define RATE_PRODUCTS 128 /* of a round */

#endif

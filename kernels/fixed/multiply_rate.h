/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Definitions shared by the host and multiply_rate.cl. */
#ifndef MULTIPLY_RATE_H
#define MULTIPLY_RATE_H

#define RATE_THREADS 128
#define RATE_CHAINS 8                             /* sums, each independent of the others */
#define RATE_PRODUCTS (RATE_CHAINS * RATE_CHAINS) /* of a round */

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Definitions for multiply_rate.cl, for the host and the kernel. */
#ifndef MULTIPLY_RATE_H
#define MULTIPLY_RATE_H

#define RATE_THREADS 128
#define RATE_CHAINS 8                             /* independent sums of a work-item */
#define RATE_PRODUCTS (RATE_CHAINS * RATE_CHAINS) /* products in a round */

#endif

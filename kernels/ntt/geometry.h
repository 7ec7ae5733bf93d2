/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sizes of the work-groups of transforms: definitions for the host and the kernels. */
#ifndef NTT_GEOMETRY_H
#define NTT_GEOMETRY_H

/* Logarithm of the points of a group in strided.cl. A group has at least 8 columns of 4 bytes. */
#define STRIDED_LOG_POINTS(log_r) ((log_r) < 10 ? 12 : 13)

/* For contiguous.cl: the logarithm of the points of a group, which are a chunk, and the most local
 * memory that a group of multiply_pair takes. */
#define CONTIGUOUS_LOG_POINTS 12
#define PAIR_LOCAL_BYTES (36 << 10)

/* Work-items and values of a group in join.cl. */
#define JOIN_THREADS 256
#define JOIN_VALUES (4 * JOIN_THREADS)

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The work-groups of transforms, for the host and the kernels. */
#ifndef NTT_GEOMETRY_H
#define NTT_GEOMETRY_H

/* strided.cl: points of a group, at least 8 columns of 4 bytes. */
#define STRIDED_LOG_POINTS(log_r) ((log_r) < 10 ? 12 : 13)

/* contiguous.cl: points of a group, a chunk; and of its local memory multiply_pair takes at most:
 */
#define CONTIGUOUS_LOG_POINTS 12
#define PAIR_LOCAL_BYTES (36 << 10)

/* join.cl: work-items, and values, of a group. */
#define JOIN_THREADS 256
#define JOIN_VALUES (4 * JOIN_THREADS)

#endif

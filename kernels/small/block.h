/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the host knows of products inside one work-group or a few. */
#ifndef BLOCK_H
#define BLOCK_H

/* block.cl: the largest operands, in words. */
#define BLOCK_WORDS 512

/* block_ntt.cl: BLOCK_DIGITS digits of the product, 2^8 to 2^13 and 3 2^12; log_n is the binary
 * logarithm of that, rounded up. */
#define BLOCK_MIN_LOG 8
#define BLOCK_MAX_LOG 14
/* Into so many branches its transforms are cut, each of 2^BLOCK_LOG_BRANCH points in a group. */
#define BLOCK_BRANCHES(log_n) ((log_n) < 12 ? 1u : (log_n) < 14 ? 2u : 3u)
#define BLOCK_LOG_BRANCH(log_n) ((log_n) < 12 ? (log_n) : (log_n) < 14 ? (log_n)-1 : (log_n)-2)
#define BLOCK_DIGITS(log_n) (BLOCK_BRANCHES(log_n) << BLOCK_LOG_BRANCH(log_n))
/* A launch has so many groups where they run together, one for each prime and branch and
 * the rest for residues of the operands; elsewhere only the former. */
#define BLOCK_GROUPS(log_n) ((log_n) < 12 ? 8 : 16)
#define BLOCK_GROUPS_MAX 16
/* A work-item holds 2^BLOCK_LOG_VALUES of the values. */
#define BLOCK_LOG_VALUES(log_n) ((log_n) < 10 ? 2 : 3)
/* No more local memory than this for a group. */
#define BLOCK_LOCAL_BYTES(log_n) ((6u << BLOCK_LOG_BRANCH(log_n)) + 256u)
/* Words of the buffer that a launch works in. */
#define BLOCK_CONTROL_WORDS 64
#define BLOCK_WORK_WORDS(log_n) (BLOCK_CONTROL_WORDS + 7u * BLOCK_DIGITS(log_n) + 8u)

/* Its report, in entries of 64 bits: what groups give to the residues of product and
 * operands, to be summed; and of groups that run together the launch's number, when all
 * that they give is there. */
#define REPORT_PRODUCT 0
#define REPORT_U BLOCK_GROUPS_MAX
#define REPORT_V (2 * BLOCK_GROUPS_MAX)
#define REPORT_DONE (3 * BLOCK_GROUPS_MAX)
#define REPORT_ENTRIES (4 * BLOCK_GROUPS_MAX)

#endif

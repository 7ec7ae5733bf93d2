/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the host knows of products inside one work-group or a few. */
#ifndef BLOCK_H
#define BLOCK_H

/* block.cl: the largest operands, in words. */
#define BLOCK_WORDS 512

/* block_ntt.cl: a launch has so many groups where they run together, one for each prime and
 * the rest for residues of the operands; elsewhere one for each prime. */
#define BLOCK_GROUPS 8
#define BLOCK_MIN_LOG 8 /* 2^8 to 2^13 digits of the product */
#define BLOCK_MAX_LOG 13
/* A work-item holds 2^BLOCK_LOG_VALUES of the values. */
#define BLOCK_LOG_VALUES(log_n) ((log_n) < 10 ? 2 : (log_n) < 13 ? 3 : 4)
/* No more local memory than this for a group. */
#define BLOCK_LOCAL_BYTES(log_n) (6u << (log_n))
/* Words of the buffer that a launch works in. */
#define BLOCK_CONTROL_WORDS 64
#define BLOCK_WORK_WORDS(log_n) (BLOCK_CONTROL_WORDS + (7u << (log_n)) + 8u)

/* Its report, in entries of 64 bits: what groups give to the residues of product and
 * operands, to be summed; and of groups that run together the launch's number, when all
 * that they give is there. */
#define REPORT_PRODUCT 0
#define REPORT_U BLOCK_GROUPS
#define REPORT_V (2 * BLOCK_GROUPS)
#define REPORT_DONE (3 * BLOCK_GROUPS)
#define REPORT_ENTRIES (4 * BLOCK_GROUPS)

#endif

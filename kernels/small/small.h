/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products that one work-group or a few work-groups compute: definitions for the host and the
 * kernels. */
#ifndef SMALL_H
#define SMALL_H

/* The largest operands of small.cl, in words. */
#define SMALL_WORDS 512

/* small_ntt.cl computes products of SMALL_DIGITS digits, 2^8 to 2^13 or 3 2^12. log_n is the binary
 * logarithm of this number, rounded up. */
#define SMALL_MIN_LOG 8
#define SMALL_MAX_LOG 14
/* A product is computed modulo 1, 2 or 3 polynomials, the branches. One group transforms a branch
 * of 2^SMALL_LOG_BRANCH points. */
#define SMALL_BRANCHES(log_n) ((log_n) < 12 ? 1u : (log_n) < 14 ? 2u : 3u)
#define SMALL_LOG_BRANCH(log_n) ((log_n) < 12 ? (log_n) : (log_n) < 14 ? (log_n)-1 : (log_n)-2)
#define SMALL_DIGITS(log_n) (SMALL_BRANCHES(log_n) << SMALL_LOG_BRANCH(log_n))
/* The number of groups for a product, if the groups of a launch run at the same time. Some of these
 * groups transform nothing: they only help to add up the coefficients. Otherwise there is one group
 * for each prime and branch. */
#define SMALL_GROUPS(log_n) ((log_n) < 12 ? 8 : 16)
#define SMALL_GROUPS_MAX 16
/* A work-item holds 2^SMALL_LOG_VALUES values of a transform. */
#define SMALL_LOG_VALUES(log_n) ((log_n) < 10 ? 2 : 3)
#define SMALL_THREADS(log_n) (1u << (SMALL_LOG_BRANCH(log_n) - SMALL_LOG_VALUES(log_n)))
/* The bytes of a group's local arrays: for each work-item its values, a word between them, a flag
 * and two 64-bit sums; for 32 work-items two words. small_ntt.cl checks this. */
#define SMALL_LOCAL_BYTES(log_n)                                                                   \
    (SMALL_THREADS(log_n) * (4 * ((1 << SMALL_LOG_VALUES(log_n)) + 1) + 4 + 16) +                  \
     SMALL_THREADS(log_n) / 32 * 8)
/* A product's buffer on the device: 64 words for control, then copies of its operands and the
 * words of its coefficients. The products of a launch have adjacent buffers. */
#define SMALL_CONTROL_WORDS 64
#define SMALL_WORK_WORDS(log_n) (SMALL_CONTROL_WORDS + 7u * SMALL_DIGITS(log_n) + 8u)
#define SMALL_WORK_STRIDE SMALL_WORK_WORDS(SMALL_MAX_LOG)

/* A launch computes up to SMALL_ITEMS products, each described by an item. An item contains the
 * numbers of words of its operands (0 for the second: a square), its slot of `work`, and its
 * ticket. If the host polls for the end of a product, each group writes the ticket at its end;
 * otherwise the ticket is 0. The base of an item is the offset in words, modulo 2^64, of its
 * operands, result and report from those of the launch. */
#define SMALL_ITEMS 8
#define SMALL_ITEM(un, vn, slot, ticket)                                                           \
    ((un) | (uint64_t)(vn) << 16 | (uint64_t)(slot) << 32 | (uint64_t)(ticket) << 40)
#define ITEM_UN(item) ((u32)(item)&0xffffu)
#define ITEM_VN(item) ((u32)(item) >> 16)
#define ITEM_SLOT(item) ((u32)((item) >> 32) & 0xffu)
#define ITEM_TICKET(item) ((u32)((item) >> 40))
/* Offset of the second operand in a slot, behind the first operand of un words. */
#define ITEM_BEHIND(un) (((un) + 3u) / 4u * 4u)
#define SMALL_SLOTS_MAX 0x100u
#define SMALL_TICKET_MAX 0xffffffu
/* OF_EIGHT(y, x) selects argument number y of a kernel's arguments x0 to x7. ITEM_AT(y) is item y,
 * and BASE_AT(y) the item's base: the offset of its operands, result and report. */
#define OF_EIGHT(y, x)                                                                             \
    ((y) < 4   ? ((y) < 2   ? ((y) < 1 ? x##0 : x##1)                                              \
                  : (y) < 3 ? x##2                                                                 \
                            : x##3)                                                                \
     : (y) < 6 ? ((y) < 5 ? x##4 : x##5)                                                           \
     : (y) < 7 ? x##6                                                                              \
               : x##7)
#define ITEM_AT(y) OF_EIGHT(y, item)
#define BASE_AT(y) OF_EIGHT(y, base)

/* A product's report, in entries of 64 bits. Each kind of entry exists once for each group if
 * groups run at the same time, otherwise only for the first group.
 *
 * - REPORT_RESIDUE: the residue of the group's part of the product.
 * - REPORT_SUM: a sum modulo 2^64 that depends on each limb. The summands are the residue above,
 *   and (2 j + 1) small_mixed(limb j) for each limb j of the part.
 * - REPORT_DONE: the ticket, a number that is written last and shows that the product is
 *   complete. */
#define REPORT_RESIDUE 0
#define REPORT_SUM SMALL_GROUPS_MAX
#define REPORT_DONE (2 * SMALL_GROUPS_MAX)
#define REPORT_ENTRIES (3 * SMALL_GROUPS_MAX)

/* The number that represents a limb in the report's sum, where limb j counts 2 j + 1 times.
 * Different limbs have different numbers. A changed bit of a limb changes a bit below 2^32 of its
 * number. Two changed bits of a product cannot cancel each other. The factors 2 j + 1 are odd and
 * below 2^15, so no sum or difference of two of them is 0 modulo 2^33. */
#define small_mixed(limb) ((limb) ^ (limb) >> 32)

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The file of a set of moduli, for set.c and set_add.c alone.  All of it consists of words of 64
 * bits, little-endian.
 *
 *     bytes 0 to 4095   four records of 64 bytes, at multiples of 512
 *     then              blocks: a header of 64 bytes, then `words` words, a multiple of 8
 *
 * A record says which bytes of the file are valid, and has a number s, the state, which grows by 1
 * with each addition.  Records 2 (s mod 2) and 2 (s mod 2) + 1 describe state s.  An addition
 * appends blocks behind the valid bytes, then writes the two records of the next state, one after
 * the other.  So at most one record is damaged by a crash, and the valid one with the highest state
 * is right.  Two damaged records are an error.  So an addition first rewrites a record that a crash
 * has damaged or left with an old state.
 *
 * A block contains numbers: first the length of each in words, then the words of each, the lowest
 * first, then zeros.  Numbers are either moduli of one group, or the product of a full group. */
#ifndef BATCH_GCD_SET_FORMAT_H
#define BATCH_GCD_SET_FORMAT_H

#include <stdint.h>

enum {
    SET_VERSION = 1,
    SET_HEAD = 4096,  /* bytes before the first block */
    SET_STRIDE = 512, /* bytes from record to record */
    SET_WORDS = 8     /* words of a record and of a block's header; the last is their checksum */
};

#define SET_MAGIC UINT64_C(0x0a74657364636762) /* "bgcdset\n" */
#define SET_KEYS UINT64_C(0x696c75646f6d)      /* "moduli" */
#define SET_PRODUCT UINT64_C(0x746375646f7270) /* "product" */

enum { RECORD_MAGIC, RECORD_VERSION, RECORD_GROUP, RECORD_STATE, RECORD_LENGTH, RECORD_COUNT };
/* BLOCK_FIRST is the number, from 0, of the block's first modulus, or of the group whose product
 * the block contains. */
enum { BLOCK_KIND, BLOCK_COUNT, BLOCK_FIRST, BLOCK_DATA_WORDS, BLOCK_DATA_SUM };
enum { SET_SUM = SET_WORDS - 1 };

#endif

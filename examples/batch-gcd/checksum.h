/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The checksum of the parts of a file that has a set of moduli. */
#ifndef BATCH_GCD_CHECKSUM_H
#define BATCH_GCD_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Returns XXH64, with seed 0, of the words as little-endian bytes.  `count` is a positive multiple
 * of 4. */
uint64_t checksum(const uint64_t *word, size_t count);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The constants that the transform kernels read (kernels/common/tables.h). */
#ifndef MPGPU_NTT_TABLES_H
#define MPGPU_NTT_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/common/tables.h"

/* The primes, ascending. */
extern const uint32_t ntt_primes[PRIMES];

#define NTT_TABLES_BYTES ((size_t)PRIMES * TABLE_WORDS * sizeof(uint32_t))

/* Fills the tables. Words that no table uses stay unset. */
void ntt_tables_fill(uint32_t *tables);

/* To make the signed coefficients of a product positive, 2^NTT_OFFSET_LOG (B^n + 1) is added to the
 * product, where B = 2^64 (lib/multiply/mulmod.c). */
#define NTT_OFFSET_LOG 88
#define NTT_OFFSET (1u << (NTT_OFFSET_LOG - 64)) /* the factor of the table entry TABLE_OFFSET */

#endif

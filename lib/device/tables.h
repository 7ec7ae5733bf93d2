/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The constants that kernels read, in SLOT_TABLES: those of the transforms
 * (kernels/common/tables.h), followed by those of the check (kernels/check/residue.h). */
#ifndef MPGPU_TABLES_H
#define MPGPU_TABLES_H

#include "lib/device/context.h"

/* Sets *tables to the buffer of constants, which is filled once per context. The check's modulus is
 * then s->modulus. */
enum gpu_status tables_get(struct context *s, gpu_mem *tables);

/* Returns the word of the buffer at which the table of the check's modulus begins. */
uint64_t tables_residue_at(void);

/* Returns a random prime of 61 bits, a new one at each call. */
uint64_t tables_random_prime(void);

/* Returns the modulus of checks, a random prime of 61 bits. It is the same in every context of the
 * program, so that residues of different devices can be compared. Any thread may call it. */
struct check_modulus tables_check_modulus(void);

/* Sets the modulus of checks to m, a random prime that another process has chosen. Call it before
 * any residue is stored. */
void tables_set_check_modulus(uint64_t m);

/* Returns the modulus m with its constants; m is odd and below 2^61. */
struct check_modulus tables_modulus(uint64_t m);

/* Fills the table of a modulus: RESIDUE_ENTRIES entries. */
void tables_residue_fill(uint64_t *table, struct check_modulus q);

#endif

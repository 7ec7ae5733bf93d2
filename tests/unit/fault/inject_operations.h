/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations of test_inject, by the names that programs call.  Each writes all of its results down,
 * so that those of a run with a device can be compared with those of a run without. */
#ifndef MPGPU_TEST_INJECT_OPERATIONS_H
#define MPGPU_TEST_INJECT_OPERATIONS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Operands of so many kinds: an operation that follows another of its kind has others. */
enum { INJECT_SETS = 3 };

struct inject_operation {
    const char *name;
    void (*call)(unsigned set);
    bool keeps; /* values stay on the device from one call of the library to the next */
};

/* Numbers, and all else of mpgpu.h; each list ends with a name that is NULL. */
extern const struct inject_operation inject_numbers[], inject_batches[];

/* What is written down: between begin and end.  An error, not 0, takes the place of results. */
void written_begin(void);
void written_number(mpz_srcptr x);
void written_limbs(const mp_limb_t *x, size_t n);
void written_text(const char *text);
bool written_error(int error); /* is it one? */

/* A copy; NULL where there was an error. */
unsigned char *written_copy(size_t *bytes);

/* Have there been errors, and are the results as these? */
bool written_is_lost(void);
bool written_is(const unsigned char *right, size_t bytes);

/* Operand `which` of a set, n limbs with runs of ones and zeros; x is to be cleared. */
void operand_limbs(mp_limb_t *x, size_t n, unsigned set, unsigned which);
void operand(mpz_ptr x, size_t n, unsigned set, unsigned which);

#endif

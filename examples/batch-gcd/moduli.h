/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads moduli from a file, one per line, in decimal or hexadecimal. A number is hexadecimal if
 * it begins with 0x or contains a letter, or if `is_hexadecimal` is set. Space around numbers,
 * empty lines and lines that begin with # are ignored. */
#ifndef BATCH_GCD_MODULI_H
#define BATCH_GCD_MODULI_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

struct moduli {
    mpz_t *n;
    size_t *line; /* line number of each modulus, from 1 */
    size_t count;
    size_t *bad; /* numbers of the lines that contain no integer above 1 */
    size_t bad_count;
};

/* Reads the moduli from the file `path`; "-" is standard input. Prints a warning on stderr for
 * each bad line. */
struct moduli moduli_read(const char *path, bool is_hexadecimal);
void moduli_free(struct moduli *m);

#endif

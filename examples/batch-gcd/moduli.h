/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Moduli from a file, one a line: decimal digits; or hexadecimal ones, with 0x before them or with
 * a letter among them, or all of them with `is_hexadecimal`.  Space around them, empty lines and
 * lines that begin with # do not count. */
#ifndef BATCH_GCD_MODULI_H
#define BATCH_GCD_MODULI_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

struct moduli {
    mpz_t *n;
    size_t *line; /* line number of each modulus, from 1 */
    size_t count;
    size_t *bad; /* lines that are no numbers above 1 */
    size_t bad_count;
};

/* "-" is standard input.  Each bad line gets a warning on stderr. */
struct moduli moduli_read(const char *path, bool is_hexadecimal);
void moduli_free(struct moduli *m);

#endif

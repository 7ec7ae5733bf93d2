/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes sets.  If the process is killed, or the disk is full, the file keeps its old moduli,
 * perhaps with unused bytes at its end. */
#ifndef BATCH_GCD_SET_ADD_H
#define BATCH_GCD_SET_ADD_H

#include "examples/batch-gcd/set.h"

/* Appends moduli to a set that set_open has locked.  Afterwards the file has all of them, on the
 * disk too, and s->count counts them, but the index of *s lacks them.  Ends the program with a
 * message on failure. */
void set_add(struct set *s, mpz_t *n, size_t count);

/* Creates a file with these moduli.  Ends the program with a message on failure, and if the file
 * exists. */
void set_make(const char *path, mpz_t *n, size_t count);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints the moduli with common factors as text or JSON. */
#ifndef BATCH_GCD_REPORT_H
#define BATCH_GCD_REPORT_H

#include <stdio.h>

#include "examples/batch-gcd/factors.h"

/* Writes a line for each modulus with a common factor: "line 12: P Q" in hexadecimal, "line 12:
 * the same as line 7" or "line 12: divides another". The last line is the number of these
 * moduli. Returns nonzero on a write error. */
int report_text(FILE *out, const struct moduli *m, const struct found *f, size_t count);

/* Writes the result as one JSON object, such as:
 * {"moduli": 3, "bad_lines": [], "found": [{"line": 12, "modulus": "0x...", "factors": ["0x...",
 * "0x..."]}, {"line": 14, "modulus": "0x...", "same_as": 7}]} */
int report_json(FILE *out, const struct moduli *m, const struct found *f, size_t count);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The result as text or JSON. */
#ifndef BATCH_GCD_REPORT_H
#define BATCH_GCD_REPORT_H

#include <stdio.h>

#include "examples/batch-gcd/factors.h"

struct report {
    const struct moduli *m;
    const struct found *found;
    size_t count;
    const struct set *set; /* or NULL */
    size_t fresh;          /* moduli that the set does not have */
};

/* Writes a line for each modulus with a common factor: "line 12: P Q" in hexadecimal, "line 12: the
 * same as line 7" (or "set 7") or "line 12: divides another".  Then writes the number of these
 * moduli.  With a set, each line ends with the partners, as in " with set 5, line 7".  Returns
 * nonzero on a write error. */
int report_text(FILE *out, const struct report *r);

/* Writes the result as JSON, such as {"moduli": 3, "bad_lines": [], "found": [{"line": 12,
 * "modulus": "0x...", "factors": ["0x...", "0x..."]}, {"line": 14, "modulus": "0x...",
 * "same_as": 7}]}.  With a set, also writes "set", "new", "same_in_set" and "partners". */
int report_json(FILE *out, const struct report *r);

#endif

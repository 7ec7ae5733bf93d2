/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions as kernels (kernels/batch/expression.h). */
#ifndef MPGPU_EXPRESSION_TEXT_H
#define MPGPU_EXPRESSION_TEXT_H

#include "lib/expression/expression.h"

enum {
    EXPRESSION_TEXT = 32768,    /* the longest text, in bytes */
    EXPRESSION_MOST_ITEMS = 32, /* most work-items for a number; each has EXPRESSION_SPAN words */
    EXPRESSION_SPAN = 2 * BATCH_BLOCK
};

_Static_assert(EXPRESSION_MOST_ITEMS *EXPRESSION_SPAN == EXPRESSION_CHUNKS * BATCH_CHUNK,
               "the longest value of both kinds");

/* Which work-items hold a value: a team (kernels/batch/expression.h), or a row, which multiplies by
 * matrix units (kernels/batch/expression_row.h). */
enum expression_kernel { EXPRESSION_TEAMS, EXPRESSION_ROWS };

/* Returns how many work-items a team needs for a number whose operands have `words` words.  Returns
 * more than EXPRESSION_MOST_ITEMS if the nodes are too long for teams and for rows. */
uint32_t expression_items(const struct expression *e, uint32_t words);

/* Returns how many numbers a work-group computes. */
uint32_t expression_numbers(enum expression_kernel kernel, const struct expression *e,
                            uint32_t words);

/* Writes the program's text.  The kernel's arguments are, in this order: the results; with `keep`,
 * the memory of each place that other nodes use; the count of numbers; the operands. */
void expression_text(enum expression_kernel kernel, const struct expression *e, uint32_t words,
                     bool keep, const int8_t place[EXPRESSION_NODES], char text[EXPRESSION_TEXT]);

#endif

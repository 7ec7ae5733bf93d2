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

/* The work-items that compute a number: a team, each with a part of the number
 * (kernels/batch/expression.h), or a row of 32, which multiply by matrix units
 * (kernels/batch/expression_row.h). */
enum expression_kernel { EXPRESSION_TEAMS, EXPRESSION_ROWS };

/* Returns how many work-items compute a number whose operands have `words` words, without matrix
 * units.  Returns more than EXPRESSION_MOST_ITEMS if the nodes are too long for any kernel of this
 * kind. */
uint32_t expression_items(const struct expression *e, uint32_t words);

/* Returns how many numbers a work-group computes. */
uint32_t expression_numbers(enum expression_kernel kernel, const struct expression *e,
                            uint32_t words);

/* Writes the program's text.  The kernel's arguments are, in this order: the results; if `keep`,
 * the buffers for those intermediate nodes that are stored in memory; the count of numbers; the
 * operands. */
void expression_text(enum expression_kernel kernel, const struct expression *e, uint32_t words,
                     bool keep, const int8_t place[EXPRESSION_NODES], char text[EXPRESSION_TEXT]);

#endif

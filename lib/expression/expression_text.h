/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions as kernels (kernels/batch/expression.h). */
#ifndef MPGPU_EXPRESSION_TEXT_H
#define MPGPU_EXPRESSION_TEXT_H

#include "lib/expression/expression.h"

enum {
    EXPRESSION_TEXT = 32768,    /* bytes of the longest */
    EXPRESSION_MOST_ITEMS = 32, /* work-items for a number, SPAN words each, */
    EXPRESSION_SPAN = 2 * BATCH_BLOCK
};

_Static_assert(EXPRESSION_MOST_ITEMS *EXPRESSION_SPAN == EXPRESSION_CHUNKS * BATCH_CHUNK,
               "the longest value of both kinds");

/* Who holds a value: teams of work-items (kernels/batch/expression.h), or rows, which multiply by
 * matrix units (kernels/batch/expression_row.h). */
enum expression_kernel { EXPRESSION_TEAMS, EXPRESSION_ROWS };

/* Work-items of a team, for a number whose operands have so many words; more than
 * EXPRESSION_MOST_ITEMS where they are too long, for rows too. */
uint32_t expression_items(const struct expression *e, uint32_t words);

/* Numbers of a group. */
uint32_t expression_numbers(enum expression_kernel kernel, const struct expression *e,
                            uint32_t words);

/* The program's text, whose kernel has arguments results, where `keep` the places of other
 * nodes, of which none is used twice, count, and operands. */
void expression_text(enum expression_kernel kernel, const struct expression *e, uint32_t words,
                     bool keep, const int8_t place[EXPRESSION_NODES], char text[EXPRESSION_TEXT]);

#endif

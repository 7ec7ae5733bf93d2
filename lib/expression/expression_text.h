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

/* Work-items for a number whose operands have so many words; more than EXPRESSION_MOST_ITEMS where
 * they are too long. */
uint32_t expression_items(const struct expression *e, uint32_t words);

/* The program's text, whose kernel has arguments results, where `keep` the places of other
 * nodes, of which none is used twice, count, and operands. */
void expression_text(const struct expression *e, uint32_t words, bool keep,
                     const int8_t place[EXPRESSION_NODES], char text[EXPRESSION_TEXT]);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The body of lanes_WORDS.c: MODULAR_WORDS and PROGRAM are defined. */
#include "tests/unit/modular/warp.h"

#include "kernels/modular/modular.cl"
#include "tests/unit/modular/lanes.h"

static const struct lanes_launch *l;

static void prepare_item(void) {
    modular_prepare(l->known, l->kinds, l->m, l->count, l->words, l->rows);
}

static void arithmetic_item(void) {
    modular_arithmetic(l->r, l->u, l->v, l->m, l->known, l->count, l->words, l->rows, l->u_words,
                       l->kind, l->shared);
}

static void power_item(void) {
    modular_power(l->r, l->u, l->v, l->m, l->known, l->tables, l->count, l->words, l->rows,
                  l->exponent_words, l->window, l->is_secret, l->shared, l->slots);
}

static void prepare(const struct lanes_launch *launch) {
    l = launch;
    warp_launch(prepare_item, (u32)l->count);
}

static void arithmetic(const struct lanes_launch *launch) {
    l = launch;
    warp_launch(arithmetic_item, (u32)l->count);
}

static void raise_to_power(const struct lanes_launch *launch) {
    l = launch;
    warp_launch(power_item, (u32)l->count);
}

const struct lanes_program PROGRAM = {MODULAR_WORDS, prepare, arithmetic, raise_to_power};

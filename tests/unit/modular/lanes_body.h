/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The common code of tests/unit/modular/lanes_8.c and similar files for other lengths. Each defines
 * MODULAR_WORDS and PROGRAM and includes this file. */
#include "tests/unit/modular/warp.h"

#include "kernels/modular/modular.cl"
#include "kernels/modular/power_double.cl"
#include "tests/unit/modular/lanes.h"

static const struct lanes_launch *l;

static void prepare_item(void) {
    modular_prepare(l->known, l->kinds, l->m, l->count, l->words, l->rows);
}

static void check_known_item(void) {
    modular_check_known(l->passed, 1, l->known, l->kinds, l->m, l->count, l->words, l->rows);
}

static void arithmetic_item(void) {
    if (l->record)
        modular_arithmetic_traced(
            l->r, l->u, l->v, l->m, l->known, l->record, l->count, l->words, l->rows, l->u_words,
            l->kind, l->shared, (const uint32_t *)l->table, 0,
            0 - (uint64_t)MODULAR_KEY(l->kind, l->words, l->rows_of_key, l->u_words, l->shared));
    else
        modular_arithmetic(l->r, l->u, l->v, l->m, l->known, l->count, l->words, l->rows,
                           l->u_words, l->kind, l->shared);
}

static void power_item(void) {
    if (l->record)
        modular_power_traced(l->r, l->u, l->v, l->m, l->known, l->tables, l->record, l->count,
                             l->words, l->rows, l->exponent_words, l->window, l->is_secret,
                             l->shared, l->slots, (const uint32_t *)l->table, 0, 0);
    else
        modular_power(l->r, l->u, l->v, l->m, l->known, l->tables, l->count, l->words, l->rows,
                      l->exponent_words, l->window, l->is_secret, l->shared, l->slots);
}

static void power_double_item(void) {
    if (l->record)
        modular_power_double_traced(l->r, l->u, l->v, l->m, l->known, l->tables, l->record,
                                    l->count, l->words, l->rows, l->exponent_words, l->window,
                                    l->is_secret, l->shared, l->slots, (const uint32_t *)l->table,
                                    0, 0);
    else
        modular_power_double(l->r, l->u, l->v, l->m, l->known, l->tables, l->count, l->words,
                             l->rows, l->exponent_words, l->window, l->is_secret, l->shared,
                             l->slots);
}

static void launch_item(const struct lanes_launch *launch, void (*item)(void)) {
    l = launch;
    warp.fault = l->fault;
    warp_launch(item, (u32)l->count);
}

static void prepare(const struct lanes_launch *launch) {
    launch_item(launch, prepare_item);
}

static void check_known(const struct lanes_launch *launch) {
    launch_item(launch, check_known_item);
}

static void arithmetic(const struct lanes_launch *launch) {
    launch_item(launch, arithmetic_item);
}

static void raise_to_power(const struct lanes_launch *launch) {
    launch_item(launch, power_item);
}

static void raise_by_doubles(const struct lanes_launch *launch) {
    launch_item(launch, power_double_item);
}

const struct lanes_program PROGRAM = {MODULAR_WORDS, prepare,        check_known,
                                      arithmetic,    raise_to_power, raise_by_doubles};

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts texts of digits on the device to words of several digits, and back, and checks them. */
#include "lib/calc/calc_text.h"

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

__extension__ typedef unsigned __int128 wide;

void calc_text_chunks(struct calc *c, const struct calc_cut *x, struct number chunks,
                      const struct calc_text *text, struct number wrong) {
    uint64_t leaves = (uint64_t)1 << x->levels;
    calc_need(c, text->bytes);
    if (calc_is_on(c))
        c->status = launch_text_chunks(
            c->s, launch_row(ceil_div(leaves * x->chunks, TEXT_THREADS)), chunks.mem, chunks.at,
            text->bytes.mem, text->bytes.at, text->n, text->whole, text->tail, text->characters,
            leaves, x->base, x->digits, x->per, x->head, x->chunks, wrong.mem, wrong.at);
}

void calc_text_digits(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                      struct number chunks) {
    if (calc_is_on(c))
        c->status =
            launch_text_digits(c->s, launch_row(ceil_div(ceil_div(text->n, 4), TEXT_THREADS)),
                               text->bytes.mem, text->bytes.at, text->n, chunks.mem, chunks.at,
                               text->characters, x->base, x->digits, x->per, x->head, x->chunks);
}

/* Returns base^n in Montgomery form. */
static uint64_t power_of(const struct calc_cut *x, uint64_t n, struct check_modulus q) {
    return modulus_power((uint64_t)((wide)q.one * x->base % q.m), n, q);
}

/* Returns the residue of the value of a text, as a device number of four words. is_exact: the
 * device has written the text, so the check also tests its form (TEXT_EXACT). */
static struct number residue(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                             bool is_exact, gpu_mem wrong, uint64_t wrong_at) {
    struct context *s = c->s;
    const uint64_t item = TEXT_RESIDUE_CHUNKS * x->per;
    uint64_t groups = ceil_div(text->n, item * TEXT_THREADS), table_at = tables_residue_at();
    struct number r = calc_take(c, 4), parts = calc_take(c, 2 * groups);
    gpu_mem tables = s->slot[SLOT_TABLES].mem;
    if (calc_is_on(c))
        c->status = launch_text_residue(
            s, launch_row(groups), parts.mem, parts.at / 2, text->bytes.mem, text->bytes.at,
            text->n, text->whole, text->tail, text->characters | (is_exact ? TEXT_EXACT : 0),
            x->base, x->per, power_of(x, x->per, s->modulus), power_of(x, item, s->modulus), tables,
            table_at, wrong, wrong_at);
    if (calc_is_on(c))
        c->status = launch_text_sum(s, launch_row(1), r.mem, r.at / 2, parts.mem, parts.at / 2,
                                    groups, tables, table_at);
    return r;
}

void calc_text_demand(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                      struct number r, struct number wrong) {
    uint64_t mark = calc_mark(c);
    const struct number none = number_part(r, 0, 0);
    if (mpgpu_conf.verify == VERIFY_DEVICE) {
        bool is_read = wrong.words > 0;
        struct number to = is_read ? wrong : calc_check_wrong(c);
        struct number t = residue(c, x, text, !is_read, to.mem, to.at);
        if (is_read)
            calc_demand_product(c, r, t, calc_one(c), none);
        else
            calc_demand_rest(c, r, t, calc_one(c), none);
    }
    calc_drop(c, mark);
}

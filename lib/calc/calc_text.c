/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Texts of digits on the device. */
#include "lib/calc/calc_text.h"

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_head.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

__extension__ typedef unsigned __int128 wide;

enum { LOG_UNIT = 56, LEAF_BITS = 32 * RADIX_LEAF_WORDS };

/* log2(x / 2^63), x >= 2^63, in units of 2^-56, rounded down; less than two units too small.  A
 * square cut off to 64 bits costs 2^-62 of the bits that follow. */
static uint64_t log_of(uint64_t x) {
    uint64_t log = 0;
    for (int i = 0; i < LOG_UNIT; i++) {
        wide square = (wide)x * x;
        uint64_t bit = (uint64_t)(square >> 127);
        log = log << 1 | bit;
        x = (uint64_t)(square >> (63 + bit));
    }
    return log;
}

static uint64_t log_of_base(unsigned base) {
    unsigned zeros = (unsigned)__builtin_clzl(base);
    return (uint64_t)(63 - zeros) << LOG_UNIT | log_of((uint64_t)base << zeros);
}

static uint32_t digits_of_word(unsigned base) {
    uint64_t power = base;
    uint32_t n = 1;
    for (; power * base >> 32 == 0; power *= base)
        n++;
    return n;
}

struct calc_cut calc_cut_plan(unsigned base, uint64_t digits) {
    struct calc_cut x = {.base = base, .per = digits_of_word(base), .log = log_of_base(base)};
    uint64_t most = (uint64_t)((((wide)LEAF_BITS << LOG_UNIT) - 1) / (x.log + 2));
    while (ceil_div(digits, (uint64_t)1 << x.levels) > most)
        x.levels++;
    x.digits = (uint32_t)ceil_div(digits, (uint64_t)1 << x.levels);
    x.chunks = (uint32_t)ceil_div(x.digits, x.per);
    x.head = x.digits - (x.chunks - 1) * x.per;
    return x;
}

uint64_t calc_cut_bits(const struct calc_cut *x, uint64_t digits) {
    return (uint64_t)((wide)digits * (x->log + 2) >> LOG_UNIT) + 1;
}

uint64_t calc_cut_words(const struct calc_cut *x, unsigned level) {
    return ceil_div(calc_cut_bits(x, (uint64_t)x->digits << level), 32);
}

void calc_cut_digits(unsigned base, uint64_t top, uint64_t bits, uint64_t *least, uint64_t *most) {
    uint64_t log = log_of_base(base);
    wide number = ((wide)(bits - 1) << LOG_UNIT) + log_of(top);
    *least = (uint64_t)(number / (log + 2)) + 1;
    *most = (uint64_t)((number + 3) / log) + 1; /* top + 1 has a logarithm less than 3 units more */
}

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

/* base^n in Montgomery form. */
static uint64_t power_of(const struct calc_cut *x, uint64_t n, struct check_modulus q) {
    return modulus_power((uint64_t)((wide)q.one * x->base % q.m), n, q);
}

/* The residue of a text, as a number of four words.  A text that the device has written is exact.
 */
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

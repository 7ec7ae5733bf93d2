/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of unity on the device. */
#include "lib/fft/fft_tables.h"

#include <float.h>
#include <stdlib.h>

#include "lib/base/ceil_div.h"
#include "lib/fft/fft.h"
#include "lib/transfer/transfer.h"

#define ARENA_BYTES ((size_t)8 << 20)

_Static_assert(LDBL_MANT_DIG >= 64, "roots are rounded from more bits than doubles have");

/* Computes sin(x) and cos(x) for 0 <= x <= pi / 4 by their series. */
static void small_angle(long double x, long double *sine, long double *cosine) {
    long double term = 1, sum[2] = {1, 0};
    for (int i = 1; i < 28; i++) {
        term *= x / i;
        sum[i & 1] += i & 2 ? -term : term;
    }
    *cosine = sum[0], *sine = sum[1];
}

/* Reduces the angle to an eighth of the circle by symmetry. e / order is octant / 8 + f or (octant
 * + 1) / 8 - f, where f is at most 1/8. */
void fft_root(double *root, uint64_t e, uint64_t order) {
    const long double tau = 6.283185307179586476925286766559005768L;
    uint64_t eighth = 8 * (e % order), octant = eighth / order;
    long double part = (long double)(eighth % order) / (long double)order, s, c, t;
    small_angle((octant & 1 ? 1 - part : part) * (tau / 8), &s, &c);
    if ((octant + 1) & 2)
        t = s, s = c, c = t;
    root[0] = (double)((octant + 2) & 4 ? -c : c);
    root[1] = (double)(octant & 4 ? s : -s);
}

/* Writes the root exp(-2 pi i e / order) as complex value number `i` of a table. */
static void put_root(void *table, enum fft_precision precision, uint64_t i, uint64_t e,
                     uint64_t order) {
    double w[2];
    fft_root(w, e, order);
    for (int k = 0; k < 2; k++)
        if (precision == FFT_DOUBLE)
            ((double *)table)[2 * i + (uint64_t)k] = w[k];
        else
            ((float *)table)[2 * i + (uint64_t)k] = (float)w[k];
}

/* Lays out a table's parts: 2^log_fine roots, order / 2^log_fine roots, and the roots of each pass.
 */
static uint64_t layout(const struct fft_plan *p, uint64_t order, struct fft_roots *roots) {
    roots->log_fine = 0;
    while ((uint64_t)1 << 2 * roots->log_fine < order)
        roots->log_fine++;
    uint64_t at =
        ((uint64_t)1 << roots->log_fine) + ceil_div(order, (uint64_t)1 << roots->log_fine);
    for (unsigned i = 0; i < p->passes; i++) {
        roots->inner[i] = (uint32_t)at;
        at += p->r[i];
    }
    return at;
}

static void fill(void *table, const struct fft_plan *p, uint64_t order,
                 const struct fft_roots *roots) {
    const uint64_t fine = (uint64_t)1 << roots->log_fine, coarse = ceil_div(order, fine);
    for (uint64_t i = 0; i < fine; i++)
        put_root(table, p->precision, i, i, order);
    for (uint64_t i = 0; i < coarse; i++)
        put_root(table, p->precision, fine + i, i * fine, order);
    for (unsigned k = 0; k < p->passes; k++)
        for (unsigned i = 0; i < p->r[k]; i++)
            put_root(table, p->precision, roots->inner[k] + i, i, p->r[k]);
}

/* A table of roots for transforms of one order, precision and list of passes.  It is in SLOT_ROOTS,
 * from byte `at` on. */
struct table {
    uint64_t order, shape[2];
    uint64_t at, bytes;
};

/* All tables of a context.  They are valid while SLOT_ROOTS is ready. */
struct tables {
    unsigned count;
    struct table of[FFT_TABLES_KEPT];
};

static struct tables *tables_of(struct context *s) {
    struct tables *tables = context_state(s, OWNER_ROOTS, sizeof *tables);
    if (tables && !s->slot[SLOT_ROOTS].is_ready)
        tables->count = 0;
    s->slot[SLOT_ROOTS].is_ready = true;
    return tables;
}

/* Returns the key of a table: order, precision, and the passes' lengths. */
static struct table key_of(const struct fft_plan *p, uint64_t order) {
    struct table key = {.order = order, .shape = {p->precision + 1, 0}};
    for (unsigned i = 0; i < p->passes; i++)
        key.shape[i / 3] = key.shape[i / 3] << 16 | p->r[i];
    return key;
}

static struct table *find(struct tables *tables, const struct table *key) {
    for (struct table *t = tables->of; t < tables->of + tables->count; t++)
        if (t->order == key->order && t->shape[0] == key->shape[0] && t->shape[1] == key->shape[1])
            return t;
    return NULL;
}

/* Reserves space for one more table.  If there is none, waits for the kernels that read the tables,
 * then discards all tables.  Without the wait, the new table could overwrite an old one that a
 * kernel still reads, because uploads have a queue of their own. */
static enum gpu_status place(struct context *s, struct tables *tables, const struct table *key,
                             struct table **t) {
    enum gpu_status status = GPU_OK;
    uint64_t at = 0;
    if (tables->count > 0) {
        const struct table *last = &tables->of[tables->count - 1];
        at = last->at + last->bytes;
    }
    if (tables->count == FFT_TABLES_KEPT || at + key->bytes > ARENA_BYTES) {
        status = gpu_finish(&s->queue);
        tables->count = 0, at = 0;
    }
    *t = &tables->of[tables->count];
    **t = *key;
    (*t)->at = at;
    return status;
}

static enum gpu_status upload(struct context *s, const struct fft_plan *p, struct table *t,
                              const struct fft_roots *roots) {
    void *host = calloc(1, t->bytes);
    if (!host)
        return GPU_NOMEM;
    fill(host, p, t->order, roots);
    enum gpu_status status = transfer_up(s->transfer, &s->queue, roots->mem, t->at, host, t->bytes);
    free(host);
    return status;
}

enum gpu_status fft_tables_get(struct context *s, const struct fft_plan *p, uint64_t order,
                               struct fft_roots *roots) {
    struct table key = key_of(p, order), *t;
    if (!fft_is_served(s, p->precision))
        return GPU_ABSENT;
    key.bytes = (layout(p, order, roots) * fft_complex_bytes(p) + 255) / 256 * 256;
    enum gpu_status status = context_buffer(s, SLOT_ROOTS, ARENA_BYTES, &roots->mem);
    struct tables *tables = status == GPU_OK ? tables_of(s) : NULL;
    if (!tables)
        return status == GPU_OK ? GPU_NOMEM : status;
    t = find(tables, &key);
    if (!t) {
        status = place(s, tables, &key, &t);
        if (status == GPU_OK)
            status = upload(s, p, t, roots);
        if (status == GPU_OK)
            tables->count++;
    }
    if (status == GPU_OK)
        roots->at = (uint32_t)(t->at / fft_complex_bytes(p));
    return status;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products modulo B^n - 1 and B^n + 1: a product in full, low + B^n high, is low + high
 * in the one ring and low - high in the other. */
#include "ring.h"
#include "../kernels/tables.h"
#include "ntt.h"
#include "tables.h"

int ring_prepare(struct session *s, struct ring *ring, uint64_t un, uint64_t vn) {
    ring->room = un + vn > ring->words ? un + vn : ring->words;
    return product_prepare(s, &ring->product, un, vn);
}

/* The number 1 on the device. */
static int number_one(struct session *s, struct number *one) {
    *one = (struct number){.at = TABLE_ONE, .words = 1};
    return tables_get(s, &one->mem);
}

/* r = low + high or low - high.  Where it came to B^n or more, r is that less B^n and
 * lacks 1: low + high <= 2 (B^n - 1), so no second carry leaves.  Where it is negative, r
 * is that plus B^n and lacks 1 too, and low - high = -1 makes it B^n: top. */
static int reduce(struct session *s, struct number product, struct check_ring *reduced) {
    struct number low = number_part(product, 0, reduced->words), one;
    reduced->high = number_part(product, reduced->words, product.words);
    reduced->over = reduced->top = 0;
    int status = number_add(s, low, low, reduced->high, reduced->plus, &reduced->over);
    if (status == GPU_OK && reduced->over)
        status = number_one(s, &one);
    if (status == GPU_OK && reduced->over)
        status = number_add(s, low, low, one, 0, &reduced->top);
    return status;
}

int ring_mul(struct session *s, struct ring *ring, struct number r, struct number u,
             struct number v) {
    struct number product = number_part(r, 0, u.words + v.words);
    int status = GPU_OK;
    ring->reduced = (struct check_ring){.words = ring->words, .plus = ring->plus};
    if (product.words < r.words)
        status = gpu_zero(&s->queue, r.mem, 0, r.words * sizeof(uint32_t));
    if (status == GPU_OK)
        status = product_mul(s, &ring->product, product, u, v);
    return status == GPU_OK ? reduce(s, r, &ring->reduced) : status;
}

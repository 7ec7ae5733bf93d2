/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The constants that kernels read. */
#include "lib/device/tables.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check/residue.h"
#include "lib/device/modulus.h"
#include "lib/device/ntt_tables.h"
#include "lib/transfer/transfer.h"

#define TRANSFORM_BYTES NTT_TABLES_BYTES
#define RESIDUE_BYTES (RESIDUE_ENTRIES * sizeof(uint64_t))
_Static_assert(TRANSFORM_BYTES % sizeof(uint64_t) == 0, "the check's table is aligned");

uint64_t tables_residue_at(void) {
    return TRANSFORM_BYTES / sizeof(uint32_t);
}

/* Returns 2^64 a mod m. */
static uint64_t shifted(uint64_t a, uint64_t m) {
    return (uint64_t)(((unsigned __int128)a << 64) % m);
}

/* Fills RESIDUE_UP and RESIDUE_DOWN with powers of X = 2^512 modulo m. The check of batches
 * multiplies spans of 16 words by these powers. residue_product divides by 2^64, so its product by
 * 2^-448 is a multiplication by 2^-512 = 1 / X. */
static void fill_spans(uint64_t *table, struct check_modulus q) {
    const uint64_t over = table[RESIDUE_POWERS + 4];
    uint64_t up = shifted(q.one, q.m), under = 1, down = q.m - 1;
    for (int i = 0; i < 7; i++)
        under = residue_product(under, 1, q.m, q.minv);
    for (int i = 0; i < RESIDUE_SPANS; i++) {
        table[RESIDUE_UP + i] = up = residue_product(up, over, q.m, q.minv);
        table[RESIDUE_DOWN + i] = down;
        down = residue_product(down, under, q.m, q.minv);
    }
}

void tables_residue_fill(uint64_t *table, struct check_modulus q) {
    memset(table, 0, RESIDUE_ENTRIES * sizeof *table);
    table[RESIDUE_M] = q.m;
    table[RESIDUE_MINV] = q.minv;
    table[RESIDUE_ONE] = q.one;
    table[RESIDUE_HIGH] = shifted(q.one, q.m);
    uint64_t vector = shifted(table[RESIDUE_HIGH], q.m), power = q.one; /* Montgomery: 2^128, 1 */
    for (int i = 0; i < RESIDUE_THREADS; i++) {
        table[RESIDUE_POWERS + i] = power;
        power = residue_product(power, vector, q.m, q.minv);
    }
    table[RESIDUE_STEP] = power;
    table[RESIDUE_TOP] = residue_product(vector, table[RESIDUE_HIGH], q.m, q.minv);
    table[RESIDUE_COARSE] = q.one;
    for (int i = 1; i < RESIDUE_STEPS; i++)
        table[RESIDUE_COARSE + i] =
            residue_product(table[RESIDUE_COARSE + i - 1], power, q.m, q.minv);
    fill_spans(table, q);
}

/* Returns the constants of the transforms, which the first caller computes for all contexts.
 * Returns NULL if memory is missing. */
static const uint32_t *transforms(void) {
    static uint32_t *_Atomic kept;
    uint32_t *host = atomic_load(&kept), *mine;
    if (host || !(mine = calloc(1, TRANSFORM_BYTES))) /* zeroed: some entries are never set */
        return host;
    ntt_tables_fill(mine);
    if (atomic_compare_exchange_strong(&kept, &host, mine))
        return mine;
    free(mine);
    return host;
}

static enum gpu_status put_transforms(struct context *s, gpu_mem tables) {
    const uint32_t *host = transforms();
    return host ? transfer_up(s->transfer, &s->queue, tables, 0, host, TRANSFORM_BYTES) : GPU_NOMEM;
}

/* Uploads the table of the check's modulus. The modulus never changes, since other threads may be
 * using it. */
static enum gpu_status put_residue(struct context *s, gpu_mem tables) {
    uint64_t table[RESIDUE_ENTRIES];
    if (s->modulus.m == 0)
        s->modulus = tables_check_modulus();
    tables_residue_fill(table, s->modulus);
    return transfer_up(s->transfer, &s->queue, tables, TRANSFORM_BYTES, table, sizeof table);
}

enum gpu_status tables_get(struct context *s, gpu_mem *tables) {
    const size_t bytes = TRANSFORM_BYTES + RESIDUE_BYTES;
    enum gpu_status status = context_buffer(s, SLOT_TABLES, bytes, tables);
    if (status != GPU_OK || s->slot[SLOT_TABLES].is_ready)
        return status;
    status = put_transforms(s, *tables);
    if (status == GPU_OK)
        status = put_residue(s, *tables);
    s->slot[SLOT_TABLES].is_ready = status == GPU_OK;
    return status;
}

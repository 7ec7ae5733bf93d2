/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the residue of a chunk of a number in a group of RESIDUE_THREADS work-items. */
#ifndef RESIDUE_CHUNK_H
#define RESIDUE_CHUNK_H

#include "kernels/check/residue.h"

/* Loads vector `index`, 4 words, of {x + x_at, words}, with zeros behind the end. */
FN void vector_load(u32 *v, GLOBAL const u32 *x, u64 x_at, u64 words, u64 index) {
    u64 at = 4 * index;
    if (x_at % 4 == 0 && at + 4 <= words) {
        LOAD4(GLOBAL, v, x + x_at + at);
    } else {
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = at + i < words ? x[x_at + at + i] : 0u;
    }
}

/* Sets sums[0] to the residue of chunk GROUP_X of {x + x_at, words}. A chunk has steps *
 * RESIDUE_THREADS vectors. All work-items of the group must call this function. It ends with a
 * barrier. */
FN void residue_of_chunk(GLOBAL const u32 *x, u64 x_at, u64 words, u32 steps,
                         GLOBAL const u64 *table, LOCAL u64 *sums) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], sum = 0;
    u64 first = (u64)GROUP_X * steps * RESIDUE_THREADS + LOCAL_ID;
    for (u32 k = steps; k-- > 0;) {
        u32 vector[4];
        vector_load(vector, x, x_at, words, first + (u64)k * RESIDUE_THREADS);
        sum = residue_step(sum, vector, table[RESIDUE_ONE], table[RESIDUE_HIGH],
                           table[RESIDUE_STEP], m, minv);
    }
    sums[LOCAL_ID] = residue_product(sum, table[RESIDUE_POWERS + LOCAL_ID], m, minv);
    BARRIER();
    for (u32 count = RESIDUE_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count) {
            u64 both = sums[LOCAL_ID] + sums[LOCAL_ID + count];
            sums[LOCAL_ID] = both < m ? both : both - m;
        }
        BARRIER();
    }
}

#endif

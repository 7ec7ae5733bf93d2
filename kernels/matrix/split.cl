/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts entries of a matrix to matrices of bytes of their residues (matrix.h), with matrix units
 * (kernels/common/matrix.h).
 *
 * The residues of MATRIX_BLOCK entries are a product of the matrix of powers 2^(8 i) modulo each
 * prime and of the matrix of the entries' bytes. The powers have 14 bits, so there are two
 * products of byte matrices. A row of 32 work-items computes the residues of HALF entries modulo
 * MATRIX_SPLIT primes.
 *
 * An entry is a number of `words` words in two's complement. The kernel inverts the highest bit,
 * which adds 2^(32 words - 1). The table has the residues of -2^(32 words - 1), which undo this. */
#include "kernels/common/matrix.h"
#include "kernels/matrix/residues.h"

#define HALF (MATRIX_BLOCK / 2)
/* 32 work-items multiply TILES tiles of 8 entries. */
#define TILES (HALF / 8)
/* The group computes residues modulo PRIMES primes in a round. */
#define PRIMES (MATRIX_THREADS / 64 * MATRIX_SPLIT)
#define CHUNK 32 /* words of an entry in local memory */
/* Four more words put the bytes of eight entries into different banks. */
#define STRIDE (CHUNK + 4)

#if defined(MATRIX_UNITS)

/* The sums of a work-item: for each tile, those of two entries for two primes, with the low and the
 * high bits of powers. */
struct sums {
    u32 low[TILES][4], high[TILES][4];
};

/* Loads a chunk of words of all entries into lines of local memory. The order of the lines is
 * chosen so that a work-item gets the sums of 16 adjacent entries. Work-item 4 g + t of its row
 * gets entries 16 t to 16 t + 15 of its half. */
FN void load_chunk(LOCAL u32 *share, GLOBAL const u32 *entries, u64 step, u32 count, u32 words,
                   u32 at) {
    UNROLL
    for (u32 i = 0; i < MATRIX_BLOCK * CHUNK; i += MATRIX_THREADS) {
        const u32 e = (i + LOCAL_ID) / CHUNK, w = at + LOCAL_ID % CHUNK;
        const u32 line = e / HALF * HALF + e % 16 / 2 * 8 + e % HALF / 16 * 2 + e % 2;
        const u32 x = e < count && w < words ? entries[e * step + w] : 0u;
        share[line * STRIDE + w - at] = w == words - 1 ? x ^ 0x80000000u : x;
    }
}

/* Adds the products of 32 bytes of each entry. */
FN void add_step(struct sums *s, GLOBAL const u32 *powers, LOCAL const u32 *share) {
    u32 low[4], high[4];
    LOAD4(GLOBAL, low, powers);
    LOAD4(GLOBAL, high, powers + MATRIX_SPLIT_WORDS);
    UNROLL
    for (u32 j = 0; j < TILES; j++) {
        u32 y[2];
        y[0] = share[8 * j * STRIDE], y[1] = share[8 * j * STRIDE + 4];
        matrix_multiply_add(s->low[j], low, y);
        matrix_multiply_add(s->high[j], high, y);
    }
}

/* Returns (2^7 high + low + c) mod p. */
FN u32 residue(u32 low, u32 high, u32 c, struct matrix_prime m) {
    return matrix_below((matrix_below_twice(high, m) << 7) + low + c, m);
}

/* Stores the 16 residues of this work-item modulo one prime, as three kinds of bytes. `which` is 0
 * or 1, for the two primes of a work-item. */
FN void store_residues(GLOBAL u32 *to, u64 kind, const struct sums *s, u32 which, u32 c,
                       struct matrix_prime m) {
    u32 l[4], h[4], both[4];
    UNROLL
    for (u32 w = 0; w < 4; w++) {
        u32 two[2];
        UNROLL
        for (u32 i = 0; i < 2; i++) {
            const u32 *low = s->low[2 * w + i] + 2 * which, *high = s->high[2 * w + i] + 2 * which;
            two[i] = residue(low[0], high[0], c, m) | residue(low[1], high[1], c, m) << 16;
        }
        l[w] = bytes_of(two[0] & 0x7f007fu, two[1] & 0x7f007fu, 0x6420);
        h[w] = bytes_of(two[0] >> 7 & 0x7f007fu, two[1] >> 7 & 0x7f007fu, 0x6420);
        both[w] = l[w] + h[w];
    }
    STORE4(to, l);
    STORE4(to + kind, h);
    STORE4(to + 2 * kind, both);
}

/* For each of `primes` primes, computes the matrices of bytes of the entries' residues. Place i
 * of line `line` belongs to entry first + line line_step + i inner_step. Places i >= inner get
 * zeros. A line has `padded` places, a multiple of MATRIX_BLOCK. Group x converts block x / lines
 * of line x % lines. */
KERNEL(MATRIX_THREADS)
matrix_split(GLOBAL u32 *out, GLOBAL const u32 *entries, u64 first, u64 line_step, u64 inner_step,
             u32 lines, u32 inner, u32 padded, u32 words, GLOBAL const u32 *table, u32 primes,
             u64 powers_at) {
    LOCAL_ARRAY(u32, share, MATRIX_BLOCK * STRIDE);
    const u32 line = GROUP_X % lines, block = GROUP_X / lines, begin = block * MATRIX_BLOCK;
    const u32 row = LOCAL_ID / 32, lane = LOCAL_ID % 32, part = row % 2;
    const u32 steps = (words + 7) / 8, tiles = (primes + MATRIX_SPLIT - 1) / MATRIX_SPLIT;
    const u32 count = begin < inner ? inner - begin : 0; /* entries of the block */
    const u64 kind = (u64)padded / 4 * lines;
    const u32 piece = (part * 4 + lane % 4) ^ line % 8;
    LOCAL const u32 *own = share + (part * HALF + lane / 4) * STRIDE + lane % 4;
    GLOBAL const u32 *constants = table + powers_at + (u64)tiles * steps * 2 * MATRIX_SPLIT_WORDS;
    entries += (first + line * line_step + begin * inner_step) * words;
    out += ((u64)block * lines + line) * (MATRIX_BLOCK / 4) + piece * 4;
    for (u32 round = 0; round < primes; round += PRIMES) {
        const u32 q = round + row / 2 * MATRIX_SPLIT, is_prime = q < primes;
        GLOBAL const u32 *powers =
            table + powers_at + (u64)q / MATRIX_SPLIT * steps * 2 * MATRIX_SPLIT_WORDS + lane * 4;
        struct sums s;
        UNROLL
        for (u32 i = 0; i < TILES * 4; i++)
            s.low[i / 4][i % 4] = s.high[i / 4][i % 4] = 0;
        for (u32 at = 0; at < words; at += CHUNK) {
            if (words > CHUNK || round == 0) {
                BARRIER();
                load_chunk(share, entries, inner_step * words, count, words, at);
                BARRIER();
            }
            for (u32 k = at / 8; is_prime && k < steps && k < (at + CHUNK) / 8; k++)
                add_step(&s, powers + (u64)k * 2 * MATRIX_SPLIT_WORDS, own + (k - at / 8) * 8);
        }
        UNROLL
        for (u32 i = 0; i < 2; i++) {
            const u32 prime = q + lane / 4 + 8 * i;
            if (prime < primes)
                store_residues(out + (u64)prime * MATRIX_KINDS * kind, kind, &s, i,
                               constants[prime], matrix_prime_of(table, prime));
        }
    }
}

#endif

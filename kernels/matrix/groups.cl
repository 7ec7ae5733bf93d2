/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices of residues with matrix units that four rows of work-items use together
 * (kernels/common/matrix_group.h). The result is that of matrix_product (product.cl). The factors
 * are matrices of bytes, which matrix_split computes (split.cl).
 *
 * A residue has a high byte and a low byte. Three products of byte matrices determine the product
 * modulo p: l, the product of the low bytes; h, of the high bytes; and s, of the sums of both. The
 * product is h 2^14 + (s - h - l) 2^7 + l (modulo p). A group computes these three products, one
 * after the other, for a tile of ROWS by COLUMNS residues. Each half of the group computes ROWS / 2
 * rows. Copies of the next blocks of both factors run during the products. Sums have 32 bits, for
 * at most MATRIX_MOST_INNER terms. */
#include "kernels/common/matrix_group.h"
#include "kernels/matrix/residues.h"

#define ROWS MATRIX_GROUPS_ROWS
#define COLUMNS MATRIX_GROUPS_COLUMNS
#define HALF (MATRIX_THREADS / 2)
#define LINE (MATRIX_BLOCK / 4) /* words of a line in a block */
/* A stage is a buffer in local memory for one block: ROWS lines of a and COLUMNS lines of b.
 * While the products use one stage, copies to all other stages run. */
#define STAGE ((ROWS + COLUMNS) * LINE)
#define STAGES 4
#define SUMS (COLUMNS / 2) /* sums of a work-item */

#if defined(MATRIX_GROUPS)

/* What a group multiplies. a_lines and b_lines are the numbers of lines of both factors in this
 * group's tile; they are less than ROWS and COLUMNS at a matrix's end. a and b point to the first
 * of these lines, in the first block of the residues' low bytes. The next block begins a_step or
 * b_step words behind. */
struct factors {
    GLOBAL const u32 *a, *b;
    u32 a_lines, b_lines;
    u64 a_step, b_step;
    LOCAL u32 *stages;
    LOCAL u64 *copied;
};

/* A factor c < p, and floor(2^32 c / p). */
struct constant {
    u32 c, quotient;
};

/* Begins copies of a block of both factors. */
FN void fetch(const struct factors *m, u32 block) {
    const u32 stage = block % STAGES;
    const u32 a_bytes = m->a_lines * MATRIX_BLOCK, b_bytes = m->b_lines * MATRIX_BLOCK;
    LOCAL u32 *to = m->stages + stage * STAGE;
    copies_begin(m->copied + stage, a_bytes + b_bytes);
    copy_begin(to, m->a + block * m->a_step, a_bytes, m->copied + stage);
    copy_begin(to + ROWS * LINE, m->b + block * m->b_step, b_bytes, m->copied + stage);
}

/* Begins the first copies. The lines behind those of the factors are set to 0, because products
 * read them. */
FN void begin(const struct factors *m) {
    if (m->a_lines < ROWS || m->b_lines < COLUMNS) {
        for (u32 i = LOCAL_ID; i < STAGES * STAGE; i += MATRIX_THREADS)
            m->stages[i] = 0;
        group_columns_stored();
        BARRIER();
    }
    if (LOCAL_ID == 0) {
        for (u32 i = 0; i < STAGES; i++)
            copies_init(m->copied + i);
        for (u32 i = 0; i < MATRIX_KINDS; i++) /* there is at least one block of each kind */
            fetch(m, i);
    }
    BARRIER();
}

/* Sets d to the product of the factors' blocks from block number `block` to number end - 1, at
 * least one block. During the products, begins copies of further blocks, all below block number
 * `last`. nvcc finds enough registers only for a loop of this form. */
FN void multiply_blocks(u32 *d, const struct factors *m, u32 block, u32 end, u32 last) {
    u32 at = block;
    ROLLED
    do {
        LOCAL u32 *from = m->stages + at % STAGES * STAGE;
        const u64 a = lines_from(lines_of(from), LOCAL_ID / HALF * (ROWS / 2), 0);
        const u64 b = lines_of(from + ROWS * LINE);
        copies_wait(m->copied + at % STAGES, at / STAGES % 2);
        group_begin();
        UNROLL
        for (u32 k = 0; k < MATRIX_BLOCK / 32; k++)
            group_multiply_256(d, lines_from(a, 0, k), lines_from(b, 0, k), at > block || k > 0);
        group_commit();
        group_wait_but_one();
        BARRIER();
        if (LOCAL_ID == 0 && at + STAGES - 1 < last)
            fetch(m, at + STAGES - 1);
    } while (++at < end);
    group_wait();
}

/* Returns the constant `factor` times the prime's factor (MATRIX_SCALE), modulo p. */
FN struct constant constant_of(u32 factor, struct matrix_prime m) {
    struct constant r;
    r.c = matrix_reduce((u64)m.scale * factor, m);
    r.quotient = (u32)MULHI64((u64)r.c << 32, m.inverse); /* too small by at most 1 */
    r.quotient += 0u - r.quotient * m.p >= m.p;
    return r;
}

/* Returns x c mod p, or this plus p, as matrix_below_twice does. */
FN u32 times(u32 x, struct constant c, u32 p) {
    return x * c.c - MULHI32(x, c.quotient) * p;
}

/* Returns the products of two sums and c in the halves of a word. Each is reduced by times(). */
FN u32 two_times(const u32 *sums, struct constant c, u32 p) {
    return times(sums[0], c, p) | times(sums[1], c, p) << 16;
}

/* Stores the sums `first` and `second` modulo p to to[0] and to[1]. Without has_two, there is only
 * the sum `first`. If `adds` is not 0, first adds the residues in `to` to the sums. is_even: `to`
 * is aligned to a word. */
FN void store(GLOBAL u16 *to, u32 first, u32 second, u32 has_two, u32 is_even, u32 adds,
              struct matrix_prime m) {
    first = matrix_below(first + (adds ? to[0] : 0u), m);
    second = matrix_below(second + (adds && has_two ? to[1] : 0u), m);
    if (is_even)
        *(GLOBAL u32 *)to = first | second << 16;
    else {
        to[0] = (u16)first;
        if (has_two)
            to[1] = (u16)second;
    }
}

KERNEL_LARGE(MATRIX_THREADS, STAGES *STAGE * 4)
matrix_groups(GLOBAL u16 *out, GLOBAL const u32 *a, GLOBAL const u32 *b, u32 rows, u32 columns,
              u32 padded, u32 tile_rows, u32 tile_columns, GLOBAL const u32 *table, u32 adds) {
    LOCAL_LARGE(u32, stages, STAGES * STAGE);
    LOCAL_ARRAY(u64, copied, STAGES);
    const struct matrix_tile tile = matrix_tile_of(GROUP_X, tile_rows, tile_columns);
    const u32 row = tile.row * ROWS, column = tile.column * COLUMNS;
    const u32 blocks = padded / MATRIX_BLOCK;
    struct factors f;
    /* Each word of t has sums of two residues below 2 p. They fit 16 bits, as p < 2^14. */
    u32 d[SUMS], t[SUMS / 2];
    f.a_step = (u64)rows * LINE, f.b_step = (u64)columns * LINE;
    f.a = a + GROUP_Y * MATRIX_KINDS * blocks * f.a_step + (u64)row * LINE;
    f.b = b + GROUP_Y * MATRIX_KINDS * blocks * f.b_step + (u64)column * LINE;
    f.a_lines = MIN32(rows - row, ROWS), f.b_lines = MIN32(columns - column, COLUMNS);
    f.stages = stages, f.copied = copied;
    begin(&f);
    UNROLL
    for (u32 kind = 0; kind < MATRIX_KINDS; kind++) {
        multiply_blocks(d, &f, kind * blocks, (kind + 1) * blocks, MATRIX_KINDS * blocks);
        const struct matrix_prime m = matrix_prime_of(table, GROUP_Y);
        /* the factors of the three sums in h 2^14 + (s - h - l) 2^7 + l: 1 - 2^7 for l, 2^14 - 2^7
         * for h, and 2^7 for s */
        const struct constant c = constant_of(kind == 0   ? m.p - 127
                                              : kind == 1 ? 16384 - 128
                                                          : 128,
                                              m);
        UNROLL
        for (u32 i = 0; i < SUMS / 2; i++) {
            const u32 line = row + LOCAL_ID / 32 * 16 + LOCAL_ID % 32 / 4 + i % 2 * 8;
            const u32 at = column + i / 2 * 8 + LOCAL_ID % 4 * 2;
            if (kind < MATRIX_KINDS - 1)
                t[i] = (kind ? t[i] : 0) + two_times(d + 2 * i, c, m.p);
            else if (line < rows && at < columns)
                store(out + ((u64)GROUP_Y * rows + line) * columns + at,
                      (t[i] & 0xffffu) + times(d[2 * i], c, m.p),
                      (t[i] >> 16) + times(d[2 * i + 1], c, m.p), at + 1 < columns,
                      columns % 2 == 0, adds, m);
        }
    }
}

#endif

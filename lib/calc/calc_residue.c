/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues on the host, of operands of composite operations. */
#include "lib/calc/calc_check.h"

/* So many products at once do not wait for one another. */
enum { CHAINS = 4 };

/* The highest limbs first: sum[k] is of every CHAINS-th limb, from limb k on, and below 1.2 2^62.
 */
uint64_t calc_residue_of_number(const uint64_t *x, uint64_t limbs, struct check_modulus q) {
    const uint64_t step = modulus_power_of_words(2 * CHAINS, q);
    uint64_t sum[CHAINS] = {0}, whole = limbs / CHAINS * CHAINS, all = 0;
    for (uint64_t i = whole; i < limbs; i++)
        sum[i - whole] = x[i] % q.m;
    for (uint64_t i = whole; i > 0; i -= CHAINS)
        for (unsigned k = 0; k < CHAINS; k++) {
            struct residue_sum s = residue_sum_add((struct residue_sum){0, 0}, sum[k], step);
            s = residue_sum_add(s, x[i - CHAINS + k], q.one);
            sum[k] = residue_reduce(s, q.m, q.minv);
        }
    for (unsigned k = CHAINS; k-- > 0;)
        all = (uint64_t)(((unsigned __int128)all << 64 | sum[k] % q.m) % q.m);
    return all;
}

/* Each residue_product divides by 2^64. */
uint64_t calc_residue_of_product(const uint64_t *x, uint64_t rows, uint64_t columns, uint64_t pitch,
                                 struct check_modulus q) {
    uint64_t product[CHAINS] = {1, 1, 1, 1}, whole = columns / CHAINS * CHAINS;
    for (uint64_t row = 0; row < rows; row++, x += pitch) {
        for (uint64_t i = 0; i < whole; i += CHAINS)
            for (unsigned k = 0; k < CHAINS; k++)
                product[k] = residue_product(x[i + k], product[k], q.m, q.minv);
        for (uint64_t i = whole; i < columns; i++)
            product[i - whole] = residue_product(x[i], product[i - whole], q.m, q.minv);
    }
    for (unsigned k = 1; k < CHAINS; k++)
        product[0] = residue_product(product[0], product[k], q.m, q.minv);
    uint64_t divisions = rows * columns + CHAINS - 1;
    return residue_product(product[0], modulus_power_of_words(2 * divisions, q), q.m, q.minv) % q.m;
}

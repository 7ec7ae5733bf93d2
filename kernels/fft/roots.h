/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of unity from a small table. exp(-2 pi i e / order) is the product of entry e mod F of the
 * fine part and entry e / F of the coarse part, with F = 2^log_fine. Entries were rounded from
 * values with an error below 2^-62. So the error of a root is below 2^-51 for doubles and 2^-22 for
 * floats, including the product (doc/design/fft.md). Behind both parts are exp(-2 pi i e / R), e <
 * R, for each length R of a pass, from entry roots_at. */
#ifndef ROOTS_H
#define ROOTS_H

#include "kernels/fft/complex.h"

struct roots {
    GLOBAL const cvalue *fine, *coarse, *inner;
    u32 log_fine;
};

FN struct roots roots_of(GLOBAL const REAL *tables, u32 tables_at, u32 log_fine, u32 roots_at) {
    GLOBAL const cvalue *all = (GLOBAL const cvalue *)tables + tables_at;
    struct roots w;
    w.fine = all;
    w.coarse = all + (1u << log_fine);
    w.inner = all + roots_at;
    w.log_fine = log_fine;
    return w;
}

FN cvalue root(struct roots w, u32 e) {
    return complex_mul(w.fine[e & ((1u << w.log_fine) - 1u)], w.coarse[e >> w.log_fine]);
}

#endif

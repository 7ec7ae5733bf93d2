/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The large calls of functions on three mpz. */
#include "ternary.h"

void ternary_large(const struct ternary *f, mpz_ptr w, mpz_srcptr u, mpz_srcptr v,
                   const _Atomic size_t *threshold) {
    size_t un = mpz_size(u), vn = mpz_size(v);
    struct call call;
    if (!call_begin(&call, f->row, call_smaller(un, vn), threshold, u == v ? un : un + vn)) {
        (*f->real)(w, u, v);
        return;
    }
    enum mpgpu_why why = f->work(w, u, v);
    if (why != WHY_DONE)
        (*f->real)(w, u, v);
    call_end(&call, why);
}

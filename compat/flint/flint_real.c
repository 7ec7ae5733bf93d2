/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds FLINT's own functions.  FLINT calls the intercepted functions through its PLT, and the
 * dynamic linker resolves these calls to this library.  dlsym cannot find the originals if a Python
 * module has loaded FLINT outside the global scope. */
#include "compat/flint/flint_real.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/base/log.h"
#include "lib/base/objects.h"
#include "lib/gmp/real.h"
#include "lib/process/signal_guard.h"
#include "lib/session/flint_found.h"

/* ---- replacements if FLINT is not loaded: GMP's products */

static mp_limb_t mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    return un < vn ? mpn_mul(rp, vp, vn, up, un) : mpn_mul(rp, up, un, vp, vn);
}

static mp_limb_t mul_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    mpn_mul_n(rp, up, vp, n);
    return rp[2 * n - 1];
}

static mp_limb_t sqr(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    mpn_sqr(rp, up, n);
    return rp[2 * n - 1];
}

/* Replaces fmpz_mat_mul if no object defines it. Only a program that has FLINT calls it. */
static void mat_mul(struct flint_mat *r, const struct flint_mat *u, const struct flint_mat *v) {
    (void)r, (void)u, (void)v;
}

/* ---- search for FLINT's functions */

/* Returns the symbol of the first object that defines it and is not this library, or NULL. */
static void *find(const char *symbol) {
    void *address = objects_next(NULL, symbol);
    while (address && real_is_ours(address))
        address = objects_next(address, symbol);
    return address;
}

static void find_into(void *function, const char *symbol) {
    void *address = find(symbol);
    if (address)
        memcpy(function, &address, sizeof address);
}

static void tell(const struct flint_found *flint) {
    if (flint->is_known)
        mpgpu_log(LOG_INFO, "FLINT %.8s in %s: its large products are caught", flint->version,
                  flint->path);
    else if (flint->version)
        mpgpu_log(LOG_INFO,
                  "the FLINT in %s has an unknown version: its products are not intercepted",
                  flint->path);
}

static void resolve(struct flint_real *f) {
    const struct flint_found flint = flint_found();
    *f = (struct flint_real){mul, mul, mul, mul_n, sqr, flint.is_known, .fmpz_mat_mul = mat_mul};
    find_into(&f->_flint_mpn_mul, "_flint_mpn_mul");
    find_into(&f->flint_mpn_mul_fft_main, "flint_mpn_mul_fft_main");
    find_into(&f->mpn_mul_default_mpn_ctx, "mpn_mul_default_mpn_ctx");
    find_into(&f->_flint_mpn_mul_n, "_flint_mpn_mul_n");
    find_into(&f->_flint_mpn_sqr, "_flint_mpn_sqr");
    find_into(&f->_fmpz_poly_mul, "_fmpz_poly_mul");
    find_into(&f->_fmpz_poly_sqr, "_fmpz_poly_sqr");
    find_into(&f->_nmod_poly_mul, "_nmod_poly_mul");
    find_into(&f->_fmpz_mod_poly_mul, "_fmpz_mod_poly_mul");
    find_into(&f->fmpz_set_signed_ui_array, "fmpz_set_signed_ui_array");
    find_into(&f->fmpz_init2, "fmpz_init2");
    find_into(&f->fmpz_mat_mul, "fmpz_mat_mul");
    f->has_polynomials = f->is_known && f->_fmpz_poly_mul && f->_fmpz_poly_sqr &&
                         f->_nmod_poly_mul && f->_fmpz_mod_poly_mul &&
                         f->fmpz_set_signed_ui_array && f->fmpz_init2;
    f->has_matrices =
        f->is_known && f->fmpz_mat_mul != mat_mul && f->fmpz_set_signed_ui_array != NULL;
    f->has_strides = f->is_known && (flint.version[0] > '3' ||
                                     (flint.version[0] == '3' && atoi(flint.version + 2) >= 3));
    if (flint.version)
        real_keep_loaded(flint.version);
    tell(&flint);
}

/* Several threads may search at the same time, and all find the same functions. The first thread
 * that has found them publishes the result in `found`. */
const struct flint_real *flint_real(void) {
    static struct flint_real found;
    /* The state of `found`: 0 means empty, 1 being written, 2 complete. */
    static atomic_int state;
    static const struct flint_real gmps = {mul, mul, mul, mul_n, sqr, false, .fmpz_mat_mul = mat_mul};
    static THREAD_MEMORY struct flint_real own;
    struct signal_guard guard;
    int none = 0;
    if (atomic_load_explicit(&state, memory_order_acquire) == 2)
        return &found;
    struct flint_real *mine = THREAD_MEMORY_GET(own);
    if (!mine) /* without memory */
        return &gmps;
    call_init(); /* reads the options, because the search writes to the log */
    signal_guard_begin(&guard);
    resolve(mine);
    if (atomic_compare_exchange_strong(&state, &none, 1)) {
        found = *mine;
        atomic_store_explicit(&state, 2, memory_order_release);
    }
    signal_guard_end(&guard);
    return mine;
}

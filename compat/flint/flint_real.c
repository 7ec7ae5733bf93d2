/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds FLINT's own functions. FLINT calls the intercepted functions through its PLT, so these
 * calls reach this library. dlsym cannot find the originals if a Python module has loaded FLINT
 * outside the global scope, so this file searches the loaded libraries. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "compat/flint/flint_real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
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

/* Replaces fmpz_mat_mul if no object defines it, or memory for the search is missing. */
static void mat_mul(struct flint_mat *r, const struct flint_mat *u, const struct flint_mat *v) {
    (void)r, (void)u, (void)v;
    mpgpu_say("fmpz_mat_mul was called, but FLINT was not found");
    abort();
}

/* ---- search for FLINT's functions */

/* Returns the address of `symbol` in `object`; if `object` is NULL, in the first object that
 * defines it. Ignores this library. Returns NULL if no object defines it. */
static void *find(const char *symbol, const void *object) {
    void *address = objects_next(NULL, symbol);
    while (address && (real_is_ours(address) || (object && objects_info(address).object != object)))
        address = objects_next(address, symbol);
    return address;
}

static void find_into(void *function, const char *symbol, const void *object) {
    void *address = find(symbol, object);
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

/* Sets *f to the functions of the FLINT in `object`; if `object` is NULL, of the FLINT loaded
 * first. */
static void resolve(struct flint_real *f, const void *object) {
    const struct flint_found flint = flint_found_at(find("flint_version", object));
    *f = (struct flint_real){mul, mul, mul, mul_n, sqr, flint.is_known, .fmpz_mat_mul = mat_mul};
    find_into(&f->_flint_mpn_mul, "_flint_mpn_mul", object);
    find_into(&f->flint_mpn_mul_fft_main, "flint_mpn_mul_fft_main", object);
    find_into(&f->mpn_mul_default_mpn_ctx, "mpn_mul_default_mpn_ctx", object);
    find_into(&f->_flint_mpn_mul_n, "_flint_mpn_mul_n", object);
    find_into(&f->_flint_mpn_sqr, "_flint_mpn_sqr", object);
    find_into(&f->_fmpz_poly_mul, "_fmpz_poly_mul", object);
    find_into(&f->_fmpz_poly_sqr, "_fmpz_poly_sqr", object);
    find_into(&f->_nmod_poly_mul, "_nmod_poly_mul", object);
    find_into(&f->_fmpz_mod_poly_mul, "_fmpz_mod_poly_mul", object);
    find_into(&f->fmpz_set_signed_ui_array, "fmpz_set_signed_ui_array", object);
    find_into(&f->fmpz_init2, "fmpz_init2", object);
    find_into(&f->fmpz_mat_mul, "fmpz_mat_mul", object);
    f->has_polynomials = f->is_known && f->_fmpz_poly_mul && f->_fmpz_poly_sqr &&
                         f->_nmod_poly_mul && f->_fmpz_mod_poly_mul &&
                         f->fmpz_set_signed_ui_array && f->fmpz_init2;
    f->has_matrices =
        f->is_known && f->fmpz_mat_mul != mat_mul && f->fmpz_set_signed_ui_array != NULL;
    f->has_strides = f->is_known && (flint.version[0] > '3' ||
                                     (flint.version[0] == '3' && atoi(flint.version + 2) >= 3));
    if (flint.version)
        real_keep_loaded(flint.version);
    if (!object)
        tell(&flint);
}

/* Several threads may search at the same time, and all find the same functions. The first thread
 * that has found them publishes the result in `found`. */
const struct flint_real *flint_real(void) {
    static struct flint_real found;
    /* The state of `found`: 0 means empty, 1 being written, 2 complete. */
    static atomic_int state;
    static const struct flint_real gmps = {
        mul, mul, mul, mul_n, sqr, false, .fmpz_mat_mul = mat_mul};
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
    resolve(mine, NULL);
    if (atomic_compare_exchange_strong(&state, &none, 1)) {
        found = *mine;
        atomic_store_explicit(&state, 2, memory_order_release);
    }
    signal_guard_end(&guard);
    return mine;
}

/* ---- the FLINT of a caller */

/* Returns the address that `symbol` would have, without this library, for the object file `path`.
 * Searches the global scope first, then the libraries that the object needs. Returns NULL if none
 * defines the symbol. */
static void *found_by(const char *path, const char *symbol) {
    void *address = dlsym(RTLD_NEXT, symbol);
    void *object = !address && path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (object) {
        address = dlsym(object, symbol);
        dlclose(object);
    }
    real_forget_error();
    return address && !real_is_ours(address) ? address : NULL;
}

/* The programs and libraries that have called an intercepted function of FLINT for polynomials or
 * matrices, in the order of their first calls. `state` is 0 for empty, 1 for being written, 2 for
 * complete. */
enum { MOST_CALLERS = 64 };
static struct {
    atomic_int state;
    uintptr_t from, to;
    struct flint_real real;
} callers[MOST_CALLERS];

/* The FLINT that this thread called last. It is used if the return address of a call is in this
 * library, because FLINT jumped from one intercepted function to another. */
static THREAD_MEMORY const struct flint_real *latest;

/* Finds the functions of the FLINT that a new caller uses. For a caller that uses none, takes the
 * functions of the first FLINT. Stores the functions in `callers` unless that list is full. */
static const struct flint_real *find_for(const struct object_info *place) {
    static THREAD_MEMORY struct flint_real own;
    const struct flint_real *first = flint_real();
    const void *function = find("fmpz_mat_mul", place->object);
    int i = 0, none = 0;
    while (i < MOST_CALLERS && !atomic_compare_exchange_strong(&callers[i].state, &none, 1))
        i++, none = 0;
    struct flint_real *to = i < MOST_CALLERS ? &callers[i].real : THREAD_MEMORY_GET(own);
    if (!to)
        return first;
    if (!function)
        function = found_by(place->path, "fmpz_mat_mul");
    if (function)
        resolve(to, objects_info(function).object);
    else
        *to = *first;
    if (i < MOST_CALLERS) {
        callers[i].from = place->from;
        callers[i].to = place->to;
        atomic_store_explicit(&callers[i].state, 2, memory_order_release);
    }
    return to;
}

static const struct flint_real *known(uintptr_t caller) {
    for (int i = 0; i < MOST_CALLERS; i++) {
        const int state = atomic_load_explicit(&callers[i].state, memory_order_acquire);
        if (state == 0)
            break;
        if (state == 2 && caller >= callers[i].from && caller < callers[i].to)
            return &callers[i].real;
    }
    return NULL;
}

static const struct flint_real *search(const void *caller) {
    const struct object_info place = objects_info(caller);
    struct signal_guard guard;
    if (!place.object)
        return flint_real();
    signal_guard_begin(&guard);
    const struct flint_real *f = find_for(&place);
    signal_guard_end(&guard);
    return f;
}

/* The linker defines these symbols at both ends of this library. */
extern __attribute__((visibility("hidden"))) const char __ehdr_start[], _end[]; /* NOLINT */

/* Returns true for an address in this library. */
static bool is_own(uintptr_t caller) {
    return caller >= (uintptr_t)__ehdr_start && caller < (uintptr_t)_end;
}

const struct flint_real *flint_real_of(const void *caller) {
    const struct flint_real **own = THREAD_MEMORY_GET(latest);
    if (is_own((uintptr_t)caller) && own && *own)
        return *own;
    const struct flint_real *f = known((uintptr_t)caller);
    f = f ? f : search(caller);
    if (own)
        *own = f;
    return f;
}

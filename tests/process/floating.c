/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_floating.sh. It checks, for each rounding mode and every trap,
 * that operations do not change the floating-point environment and raise neither a flag nor
 * SIGFPE. */
#define _GNU_SOURCE 1
#include <fenv.h>
#include <pthread.h>

#include "tests/support/products.h"

#ifdef __x86_64__
#include <xmmintrin.h>
enum { NO_SUBNORMALS = 0x8040 };
#endif

enum { LIMBS = 1000 };

static mpz_t u, v, r, q;

static void use_text(void) {
    char *text = mpz_get_str(NULL, 10, u);
    mpz_set_str(r, text, 10);
    free(text);
}

static void use_fractions(void) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_num(x, u);
    mpq_set_den(x, v);
    mpq_canonicalize(x);
    mpq_mul(y, x, x);
    mpq_add(y, y, x);
    mpq_clears(x, y, NULL);
}

static void use_floats(void) {
    mpf_t x, y;
    mpf_init2(x, LIMBS * 64);
    mpf_init2(y, LIMBS * 64);
    mpf_set_z(x, u);
    mpf_mul(y, x, x);
    mpf_div(y, x, y);
    mpf_sqrt(y, x);
    mpf_clear(x);
    mpf_clear(y);
}

/* Runs intercepted operations. mpz_root is left out, because GMP itself computes it in floating
 * point. */
static void operate(void) {
    mpz_mul(r, u, v);
    mpz_mul(r, u, u);
    mpz_add(r, u, v);
    mpz_tdiv_qr(q, r, u, v);
    mpz_divexact(q, u, u);
    mpz_sqrt(r, u);
    mpz_gcdext(r, q, NULL, u, v);
    mpz_powm_ui(r, u, 3, v);
    mpz_fac_ui(r, 5000);
    mpz_bin_uiui(r, 10000, 5000);
    mpz_fib_ui(r, 100000);
    mpz_pow_ui(r, v, 2);
    use_text();
    use_fractions();
    use_floats();
    mpz_realloc2(r, 1);
}

static unsigned subnormals(void) {
#ifdef __x86_64__
    return _mm_getcsr() & NO_SUBNORMALS;
#else
    return 0;
#endif
}

static void set_subnormals(void) {
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() | NO_SUBNORMALS);
#endif
}

/* Enables those floating-point traps that this machine has. */
static int set_traps(int traps) {
#ifdef FE_NOMASK_ENV
    feenableexcept(traps);
    return fegetexcept();
#else
    return traps & 0;
#endif
}

static int traps_now(void) {
#ifdef FE_NOMASK_ENV
    return fegetexcept();
#else
    return 0;
#endif
}

/* Runs the operations with the given rounding mode, traps and raised flags, and checks that none
 * of these has changed. */
static void operate_with(int rounding, int traps, int flags) {
    fesetenv(FE_DFL_ENV);
    set_subnormals();
    unsigned before = subnormals();
    feraiseexcept(flags);
    fesetround(rounding);
    traps = set_traps(traps);
    operate();
    if (fegetround() != rounding || traps_now() != traps || subnormals() != before)
        fail("another rounding, other traps, or subnormal numbers");
    if (fetestexcept(FE_ALL_EXCEPT) != flags)
        fail("other flags");
    fesetenv(FE_DFL_ENV);
}

static void *operate_in_thread(void *unused) {
    operate_with(FE_UPWARD, FE_ALL_EXCEPT, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    set_traps(FE_ALL_EXCEPT); /* each new thread inherits the enabled traps */
    mpz_inits(u, v, r, q, NULL);
    number(u, LIMBS * 64);
    number(v, LIMBS * 32);
    for (int i = 0; i < 4; i++) {
        operate_with(roundings[i], FE_ALL_EXCEPT, 0);
        operate_with(roundings[i], 0, 0);
        operate_with(roundings[i], FE_INEXACT, FE_DIVBYZERO);
    }
    if (pthread_create(&thread, NULL, operate_in_thread, NULL) != 0)
        fail("no thread");
    pthread_join(thread, NULL);
    puts("as it was");
    set_traps(FE_ALL_EXCEPT); /* the library's exit handlers, too, run with all traps enabled */
    return 0;
}

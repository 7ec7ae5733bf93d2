/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plug-in that is linked with GMP, as modules of Python are; for plugged.c. */
#include "products.h"

__attribute__((visibility("default"))) void plugin_work(void);

/* Products with destinations that are new, too small, operands and large enough, and
 * functions that are not intercepted, on the same numbers. */
void plugin_work(void) {
    mpz_t u, v, r;
    mpz_init(u);
    mpz_init(v);
    mpz_init2(r, 20000);
    number(u, 6000);
    number(v, 4000);
    mpz_mul(r, u, v);
    mpz_mul(u, u, v);
    mpz_mul(v, u, u);
    mpz_addmul(v, u, r);
    mpz_tdiv_q(v, v, u);
    mpz_sqrt(u, v);
    mpz_realloc2(r, 1000);
    mpz_swap(r, v);
    mpz_mul(r, r, r);
    char *text = mpz_get_str(NULL, 36, r);
    printf("%lu %lu %.30s\n", mpz_fdiv_ui(u, 1000003), mpz_fdiv_ui(r, 1000003), text);
    free(text);
    mpz_clear(u);
    mpz_clear(v);
    mpz_clear(r);
    multiply(1200000); /* large enough for the library's pool */
}

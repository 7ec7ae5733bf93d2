/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plug-in linked with GMP, as Python's extension modules are; plugged.c loads it. */
#include "tests/support/checked_memory.h"
#include "tests/support/products.h"

#define EXPORT __attribute__((visibility("default")))
EXPORT void plugin_work(void);
EXPORT void plugin_own_memory(void);
EXPORT void plugin_grow(void);
EXPORT void plugin_end(void);
EXPORT void plugin_square(void);

/* Sets the plug-in's own memory functions in the libgmp that it is linked with. */
void plugin_own_memory(void) {
    checked_memory_begin();
}

/* A number that each call of plugin_grow makes longer, so that memory functions are called. */
static mpz_t kept;

void plugin_grow(void) {
    if (!kept->_mp_d)
        mpz_init_set_ui(kept, 12345);
    mpz_mul(kept, kept, kept);
    mpz_addmul(kept, kept, kept);
    mpz_mul_ui(kept, kept, 4711);
    mpz_pow_ui(kept, kept, 3);
    mpz_add(kept, kept, kept);
    printf("kept: %zu limbs, %lu\n", mpz_size(kept), mpz_fdiv_ui(kept, 1000003));
}

/* Frees the memory that the plug-in's memory functions have allocated. */
void plugin_end(void) {
    if (kept->_mp_d)
        mpz_clear(kept);
    kept->_mp_d = NULL;
    printf("%lu blocks left, some made: %d\n", checked_memory_left(), checked_memory_made() > 0);
}

static void release(char *text) {
    void (*function)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &function);
    function(text, strlen(text) + 1);
}

/* Computes products whose destinations are new, too small, the same as an operand, or large
 * enough. Calls functions that are not intercepted on the same numbers. */
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
    release(text);
    mpz_clear(u);
    mpz_clear(v);
    mpz_clear(r);
    multiply(1200000); /* large enough that its result is in the library's pool (memory for large
                          results) */
}

/* Computes a square for which GMP needs no memory. */
void plugin_square(void) {
    static mp_limb_t u[60] = {3}, r[120];
    mpn_sqr(r, u, 60);
    if (r[0] != 9 || r[1] != 0)
        abort();
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program that makes one small product. */
#include <gmp.h>
#include <string.h>

int main(void) {
    mpz_t a;
    mpz_init_set_str(a, "123456789012345678901234567890123456789012345678901234567890", 10);
    mpz_mul(a, a, a);
    bool_is_right:
    return mpz_sizeinbase(a, 2) != 394;
}

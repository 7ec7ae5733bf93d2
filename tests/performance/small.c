/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program with small numbers: RSA-sized products, sums, powers.  At its end it prints a
 * checksum, and whether the driver of a device was loaded into it. */
#include <gmp.h>
#include <stdio.h>
#include <string.h>

static int driver_is_mapped(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    int found = 0;
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, "libOpenCL") || strstr(line, "libcuda") || strstr(line, "libpocl");
    if (maps)
        fclose(maps);
    return found;
}

int main(void) {
    mpz_t a, b, c, sum;
    mpz_inits(a, b, c, sum, NULL);
    gmp_randstate_t random;
    gmp_randinit_default(random);
    for (int i = 0; i < 20000; i++) {
        mpz_urandomb(a, random, 64 + i % 2048);
        mpz_urandomb(b, random, 2048);
        mpz_mul(c, a, b);
        mpz_add(sum, sum, c);
        mpz_mul(c, a, a);
        mpz_sub(sum, sum, c);
        mpz_addmul(sum, a, b);
        mpz_mul_ui(c, a, 12345);
        mpz_mul_si(c, c, -3);
        mpz_submul(sum, c, a);
        mpz_add_ui(c, c, 7);
        mpz_sub_ui(c, c, 12345);
        mpz_ui_sub(c, 77, c);
        mpz_addmul_ui(sum, c, 99);
        mpz_submul_ui(sum, a, 5);
    }
    mpz_powm(c, a, b, sum);
    gmp_printf("%Zx %Zx\ndriver mapped: %s\n", sum, c, driver_is_mapped() ? "yes" : "no");
    gmp_randclear(random);
    mpz_clears(a, b, c, sum, NULL);
    return 0;
}

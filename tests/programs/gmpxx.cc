/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain program of GMP's C++ classes, which knows nothing of this library. */
#include <gmpxx.h>

#include <iostream>

/* low * (low + 1) * ... * (high - 1) */
static mpz_class product(unsigned long low, unsigned long high) {
    if (high - low == 1)
        return low;
    unsigned long middle = low + (high - low) / 2;
    return product(low, middle) * product(middle, high);
}

/* 1/low + ... + 1/(high - 1) */
static mpq_class harmonic(unsigned long low, unsigned long high) {
    if (high - low == 1)
        return mpq_class(1, low);
    unsigned long middle = low + (high - low) / 2;
    return harmonic(low, middle) + harmonic(middle, high);
}

/* 1/sqrt(x) by Newton's iteration. */
static mpf_class inverse_root(unsigned long x, mp_bitcnt_t bits) {
    mpf_class y(0.5, bits), three(3, bits);
    for (int i = 0; i < 40; i++)
        y = y * (three - x * y * y) / 2;
    return y;
}

int main() {
    mpz_class z = product(1, 3000), sum = z * z + 12345;
    sum += 7 * z * sum - z;
    sum -= (z + 1) * (z - 1);
    std::cout << z << '\n' << sum << '\n' << sum / (z + 1) << '\n' << sqrt(sum) << '\n';

    mpq_class h = harmonic(1, 3000), q = h * h / (h + 1) - h;
    std::cout << h << '\n' << q << '\n';

    mpf_class root = inverse_root(2, 20000);
    std::cout.precision(6000);
    std::cout << root << '\n' << root * root * 2 << '\n';

    mpz_class parsed(z.get_str(7), 7);
    std::cout << (parsed == z ? "read back\n" : "lost\n");
}

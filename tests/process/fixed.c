/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program, linked to a fixed address, that takes the address of `free`. In such a
 * program the linker makes that address, for the whole process, the address of a stub in the
 * program itself. */
#include "tests/support/products.h"

int main(void) {
    void (*volatile release)(void *) = free;
    release(malloc(1));
    multiply(1000000);
    puts("right");
    return 0;
}

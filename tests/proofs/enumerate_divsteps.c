/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks the division steps of Bernstein and Yang, 7 steps at once instead of 28, in words of 32
 * bits. Tries all lowest digits of 7 bits, and the values of delta that 28 steps can reach. */
#define LOCAL_ID 0u
#define GROUP_X 0u
#define DIGITS 2
#define ON_CPU
#include "kernels/modular/euclid.h"
#undef DIGIT_BITS
#define DIGIT_BITS 7
#include "kernels/modular/divsteps.h"
#include "tests/proofs/enumerate.h"

/* Computes 7 steps by their definition, on integers. Returns the new f. */
static long steps(long f, long g, long *delta, long *new_g) {
    for (int i = 0; i < 7; i++) {
        if (*delta > 0 && (g & 1)) {
            long old = f;
            f = g;
            g = (g - old) / 2;
            *delta = 2 - *delta;
        } else {
            g = (g + (g & 1) * f) / 2;
            *delta += 2;
        }
    }
    *new_g = g;
    return f;
}

int main(void) {
    begin("divsteps");
    for (long f = 1; f < 128; f += 2)
        EACH(long, g, 0, 128) for (long from = -101; from < 102; from += 2) {
            s32 delta = (s32)from;
            struct jump j = divsteps((u32)f, (u32)g, &delta);
            long to = from, new_g, new_f = steps(f, g, &to, &new_g);
            CHECK(delta == to && new_f * 128 == j.a * f + j.b * g &&
                      new_g * 128 == j.c * f + j.d * g && labs(j.a) + labs(j.b) <= 128 &&
                      labs(j.c) + labs(j.d) <= 128,
                  f, g, from);
        }
    end();
    return 0;
}

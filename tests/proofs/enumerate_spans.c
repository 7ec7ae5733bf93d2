/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks sums of spans of three words, and the functions on words that convert residues to numbers.
 * Words have 4 bits. */
#define WORD 4
#define LOG_WORD 2
#define SPAN 3
#define CARRY_THREADS 32
#include "tests/proofs/narrow.h"

#undef LOCAL_ID
#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "tests/proofs/enumerate.h"

static number value(const u32 *x) {
    return (number)x[0] | (number)x[1] << 4 | (number)x[2] << 8;
}

#define WORDS(v)                                                                                   \
    { (u32)(v), (u32)((v) >> 4), (u32)((v) >> 8) }

static void spans(void) {
    begin("span_add_carry");
    EACH(number, a, 0, 4096) EACH(number, b, 0, 4096) EACH(number, carry, 0, 2) {
        u32 x[3] = WORDS(a), y[3] = WORDS(b);
        number flag = span_add_carry(x, y, carry), sum = a + b + carry;
        CHECK(value(x) == sum % 4096 && flag == (sum >= 4096   ? CARRY_GENERATE
                                                 : sum == 4095 ? CARRY_PROPAGATE
                                                               : 0),
              a, b, carry);
    }
    end();
    begin("span_add");
    EACH(number, a, 0, 4096) EACH(number, b, 0, 4096) {
        u32 x[3] = WORDS(a), y[3] = WORDS(b);
        number flag = span_add(x, y), sum = a + b;
        CHECK(value(x) == sum % 4096 && flag == (sum >= 4096   ? CARRY_GENERATE
                                                 : sum == 4095 ? CARRY_PROPAGATE
                                                               : 0),
              a, b, 0);
    }
    end();
    begin("span_increment");
    EACH(number, a, 0, 4096) EACH(number, carry, 0, 2) {
        u32 x[3] = WORDS(a);
        span_increment(x, carry);
        CHECK(value(x) == (a + carry) % 4096, a, carry, 0);
    }
    end();
}

/* Checks words_add_at: x has seven words, each 0 or 15; the words of y are 0, 1 or 15. */
static void long_sums(void) {
    static const u32 ends[] = {0, 1, 15};
    EACH(number, a, 0, 128) EACH(number, b, 0, 243) EACH(number, at, 0, 3) {
        u32 x[7], y[CRT_WORDS];
        number u = 0, v = 0, sum = 0, rest = b;
        EACH(int, i, 0, 7) {
            x[i] = a >> i & 1 ? 15 : 0;
            u |= (number)x[i] << 4 * i;
        }
        for (int i = 0; i < CRT_WORDS; i++, rest /= 3) {
            y[i] = ends[rest % 3];
            v |= (number)y[i] << 4 * i;
        }
        words_add_at(x, 7, at, y);
        EACH(int, i, 0, 7) sum |= (number)x[i] << 4 * i;
        CHECK(sum == (u + (v << 4 * at)) % (1 << 28), a, b, at);
    }
}

static void words(void) {
    begin("words_mul_add");
    EACH(number, a, 0, 4096) EACH(number, p, 0, 8) EACH(number, v, 0, 8) {
        u32 x[3] = WORDS(a);
        words_mul_add(x, 3, p, v);
        CHECK(value(x) == (a * p + v) % 4096, a, p, v);
    }
    end();
    begin("words_add_at");
    EACH(number, a, 0, 4096) EACH(number, b, 0, 4096) EACH(number, at, 0, 3) {
        u32 x[3] = WORDS(a), y[CRT_WORDS] = WORDS(b);
        words_add_at(x, 3, at, y);
        CHECK(value(x) == (a + (b << 4 * at)) % 4096, a, b, at);
    }
    long_sums();
    end();
}

int main(void) {
    spans();
    words();
    return 0;
}

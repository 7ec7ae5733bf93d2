/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks estimates of quotients (kernels/modular/quotient_estimate.h). For quotient_word, tries all
 * leading words of 5 bits, each with the least and the greatest lower words: the quotient is
 * monotonic between them. For columns_word, tries all numbers of two and three words.
 * variant: -DWORD=5
 * variant: -DWORD=3
 * variant: -DWORD=4 */
#define LOG_WORD 2
#define DIGIT_WIDTH 3
#include "tests/proofs/narrow.h"

#include "kernels/modular/quotient_estimate.h"
#include "tests/proofs/enumerate.h"

enum { BASE = 1 << WORD };

/* Returns true if the estimate is floor(t / m), or 1 less with is_near set. */
static int is_estimate(struct quotient q, unsigned __int128 t, unsigned __int128 m) {
    number c = (number)(t / m);
    return c == (number)q.c || (c == (number)q.c + 1 && q.is_near);
}

static void words(void) {
    const int lower = 64 - 2 * WORD; /* bits below the leading words of m */
    begin("quotient_word");
    EACH(number, m1, BASE / 2, BASE)
    EACH(number, m0, 0, BASE) EACH(number, t1, 0, m1 + 1) EACH(number, t0, 0, BASE) {
        unsigned __int128 m = m1 << WORD | m0, t = t1 << WORD | t0;
        struct quotient q = quotient_word(t1, t0, m1, m0);
        /* the lower words of t and of m are all zeros or all ones; t is below 2^WORD m */
        EACH(int, ones, 0, 2) EACH(int, others, 0, 2) {
            unsigned __int128 whole_m =
                (m << lower) + (ones ? ((unsigned __int128)1 << lower) - 1 : 0);
            unsigned __int128 whole_t =
                (t << (lower + WORD)) + (others ? ((unsigned __int128)1 << (lower + WORD)) - 1 : 0);
            if (whole_t >= whole_m << WORD)
                whole_t = (whole_m << WORD) - 1;
            if (whole_t >> (lower + WORD) == t)
                CHECK(is_estimate(q, whole_t, whole_m), t1 * BASE + t0, m1, m0);
        }
    }
    end();
}

static void columns(int n) {
    const number all = (number)1 << n * WORD;
    EACH(number, a, 0, all) EACH(number, b, 0, all) {
        u32 u[3], v[3];
        struct columns c = {0, 0, 0};
        EACH(int, i, 0, n) u[i] = a >> WORD * i, v[i] = b >> WORD * i;
        EACH(int, i, 0, n) columns_add(&c, u, v, n, i);
        number last = a * b >> WORD * (n - 1) & (BASE - 1);
        CHECK(columns_word(c, last) == (u32)(a * b >> WORD * n), a, b, n);
    }
}

/* Compares the sums of columns_add with their definition. */
static void sums(void) {
    begin("columns_add");
    EACH(number, a, 0, 512) EACH(number, b, 0, 512) {
        u32 u[3] = {a, a >> 3, a >> 6}, v[3] = {b, b >> 3, b >> 6};
        struct columns c = {0, 0, 0};
        EACH(int, i, 0, 3) columns_add(&c, u, v, 3, i);
        number below = 0, last = 0, above = 0;
        EACH(int, i, 0, 3) EACH(int, j, 0, 3) {
            number x = (number)u[i] * (number)v[j];
            below += i + j == 1 ? x >> WORD : 0, last += i + j == 2 ? x : 0,
                above += i + j == 3 ? x : 0;
        }
        CHECK(c.below == below && c.last == (u64)last && c.above == (u32)above, a, b, 0);
    }
    end();
}

int main(void) {
    words();
    if (WORD < 5) {
        begin("columns_word");
        columns(2);
        if (WORD == 3)
            columns(3);
        end();
    } else
        sums();
    return 0;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random operands for the differential test, and comparisons.  The generator makes no call that the
 * library could intercept. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* Returns the next `count` of the bytes that a fuzzer has given, as a number. */
static uint64_t given(struct run *run, int count) {
    uint64_t x = 0;
    for (; count > 0 && run->bytes < run->end; count--)
        x = x << 8 | *run->bytes++;
    return x;
}

uint64_t run_bits(struct run *run) {
    if (run->bytes < run->end)
        return given(run, 8);
    uint64_t x = run->random += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* For a choice among few values, reads only one or two of the fuzzer's bytes.  So a byte that
 * the fuzzer changes affects only one choice. */
size_t run_below(struct run *run, size_t n) {
    if (run->bytes < run->end)
        return (size_t)(given(run, n <= 256 ? 1 : n <= 65536 ? 2 : 8) % n);
    return (size_t)(run_bits(run) % n);
}

/* Sets {xp, n} to runs of up to `longest` equal bits. */
static void runs_of_bits(struct run *run, mp_ptr xp, size_t n, size_t longest) {
    size_t left = 1 + run_below(run, longest);
    mp_limb_t bit = run_bits(run) & 1;
    for (size_t i = 0; i < n; i++) {
        xp[i] = 0;
        for (unsigned j = 0; j < GMP_NUMB_BITS; j++) {
            xp[i] |= bit << j;
            if (--left == 0) {
                left = 1 + run_below(run, longest);
                bit ^= 1;
            }
        }
    }
}

static void fill(mp_ptr xp, size_t n, mp_limb_t limb) {
    for (size_t i = 0; i < n; i++)
        xp[i] = limb;
}

void run_limbs(struct run *run, mp_ptr xp, size_t n) {
    switch (run_below(run, 8)) {
    case 0:
        for (size_t i = 0; i < n; i++)
            xp[i] = run_bits(run);
        break;
    case 1:
        fill(xp, n, ~(mp_limb_t)0);
        break;
    case 2:
        fill(xp, n, 0);
        xp[n - 1] = (mp_limb_t)1 << run_below(run, GMP_NUMB_BITS);
        xp[run_below(run, n)] |= 1;
        break;
    case 3:
        runs_of_bits(run, xp, n, 32);
        break;
    default:
        runs_of_bits(run, xp, n, 1 + n * GMP_NUMB_BITS / (1 + run_below(run, 16)));
    }
}

void run_mpz(struct run *run, mpz_ptr x, size_t n) {
    if (run_below(run, 16) == 0) {
        mpz_set_ui(x, 0);
        return;
    }
    run_limbs(run, mpz_limbs_write(x, (mp_size_t)n), n);
    mpz_limbs_finish(x, run_below(run, 2) ? (mp_size_t)n : -(mp_size_t)n);
}

void *run_room(size_t bytes) {
    void *p = malloc(bytes);
    if (!p) {
        fputs("differential: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

/* Sets sp to the digits of 2^(64 k), or of 2^(64 k) + 1.  Converting these digits back in two
 * halves produces a carry into a new limb.  Returns the number of digits, at most n; 0 if n is too
 * small. */
static size_t digits_of_power(struct run *run, unsigned char *sp, size_t n, int base) {
    size_t bits = 1;
    while (base >> (bits + 1))
        bits++;
    size_t most = (n - 1) * bits / GMP_NUMB_BITS, k = most ? 1 + run_below(run, most) : 0;
    mp_ptr up = run_room((k + 1) * sizeof *up);
    unsigned char *room = run_room(GMP_NUMB_BITS * (k + 1) + 1), *s = room;
    memset(up, 0, k * sizeof *up);
    up[k] = 1;
    up[0] |= run_below(run, 2);
    size_t digits = k ? run->reference->mpn_get_str(room, base, up, (mp_size_t)(k + 1)) : 0;
    for (; digits > 0 && *s == 0; digits--)
        s++;
    memcpy(sp, s, digits);
    free(up);
    free(room);
    return digits;
}

size_t run_digits(struct run *run, unsigned char *sp, size_t n, int base) {
    size_t kind = run_below(run, 5), left = 0;
    int digit = 0;
    size_t digits = kind == 4 ? digits_of_power(run, sp, n, base) : 0;
    if (digits)
        return digits;
    for (size_t i = 0; i < n; i++) {
        if (left-- == 0) {
            left = kind == 0 ? 0 : run_below(run, 1 + n / kind);
            digit = kind == 0 ? (int)run_below(run, (size_t)base) : digit ? 0 : base - 1;
        }
        sp[i] = (unsigned char)digit;
    }
    if (kind == 3)
        sp[run_below(run, n)] = (unsigned char)run_below(run, (size_t)base);
    return n;
}

/* Returns a size from least to most.  Halves the range several times at random, so small sizes are
 * frequent. */
static size_t spread(struct run *run, size_t least, size_t most) {
    unsigned octaves = 0;
    while (most >> octaves > least)
        octaves++;
    size_t top = most >> run_below(run, octaves + 1);
    if (top < least)
        top = least;
    return least + run_below(run, top - least + 1);
}

void run_sizes(struct run *run, size_t *un, size_t *vn) {
    *un = spread(run, run->least, run->most);
    switch (run_below(run, 4)) {
    case 0:
        *vn = *un;
        break;
    case 1:
        *vn = *un - run_below(run, *un / 4 + 1);
        break;
    case 2:
        *vn = *un / 1000 + 1;
        break;
    default:
        *vn = spread(run, 1, *un);
    }
    if (*vn > *un)
        *vn = *un;
}

int same_limbs(mp_srcptr ap, mp_srcptr bp, size_t n) {
    return memcmp(ap, bp, n * sizeof *ap) == 0;
}

int same_mpz(mpz_srcptr a, mpz_srcptr b) {
    return a->_mp_size == b->_mp_size && same_limbs(a->_mp_d, b->_mp_d, mpz_size(a));
}

void run_free_text(struct run *run, char *s) {
    void (*release)(void *p, size_t bytes);
    run->reference->mp_get_memory_functions(NULL, NULL, &release);
    if (s)
        release(s, strlen(s) + 1);
}

size_t run_number(struct run *run, mp_ptr up, size_t n, int base) {
    if (run_below(run, 2)) {
        run_limbs(run, up, n);
        up[n - 1] |= up[n - 1] == 0;
        return n;
    }
    size_t digits = n * sizeof *up; /* in the largest base, 256, this many digits fill n limbs */
    unsigned char *sp = run_room(digits);
    digits = run_digits(run, sp, digits, base);
    if (sp[0] == 0)
        sp[0] = (unsigned char)(1 + run_below(run, (size_t)base - 1));
    n = (size_t)run->reference->mpn_set_str(up, sp, digits, base);
    free(sp);
    return n;
}

int same_text(char *s, const char *room, const char *wanted) {
    void (*release)(void *p, size_t bytes);
    int good = wanted ? s && strcmp(s, wanted) == 0 : !s;
    mp_get_memory_functions(NULL, NULL, &release);
    if (s && !room)
        release(s, wanted ? strlen(wanted) + 1 : 1);
    return good;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Generates moduli, some of which share a prime.  Primes are found in groups by a sieve and
 * Fermat's test: each group has the first primes from a random number on. */
#include "examples/batch-gcd/generate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "examples/batch-gcd/util.h"

enum { GROUP = 64, SIEVE = 1 << 15, SMALL = 1 << 16 };

int generate_parse(struct generate_options *o, const char *text) {
    char end;
    return text[strspn(text, "0123456789,")] != '\0' ||
           sscanf(text, "%lu,%lu,%lu,%lu%c", &o->count, &o->bits, &o->pairs, &o->seed, &end) != 4 ||
           o->count < 1 || o->count > 1UL << 30 || o->bits < 128 || o->bits > 1UL << 20 ||
           o->bits % 2 || o->pairs > o->count / 2;
}

struct primes {
    const struct generate_options *o;
    mpz_t *p;
    unsigned *small; /* odd primes */
    size_t count, small_count;
};

static void list_small(struct primes *k) {
    static bool is_composite[SMALL];
    k->small = util_alloc(SMALL, sizeof *k->small);
    for (unsigned i = 3; i < SMALL; i += 2) {
        if (is_composite[i])
            continue;
        k->small[k->small_count++] = i;
        for (unsigned j = 3 * i; j < SMALL; j += 2 * i)
            is_composite[j] = true;
    }
}

/* Sets is_composite[j] if start + 2 j has a small prime factor. */
static void sieve(const struct primes *k, bool *is_composite, mpz_srcptr start) {
    memset(is_composite, 0, SIEVE);
    for (size_t i = 0; i < k->small_count; i++) {
        unsigned p = k->small[i], rest = (unsigned)mpz_fdiv_ui(start, p);
        unsigned j = rest == 0 ? 0 : rest % 2 ? (p - rest) / 2 : p - rest / 2;
        for (; j < SIEVE; j += p)
            is_composite[j] = true;
    }
}

/* Fills one group of the array `primes`, from index group * GROUP. The group's primes begin at
 * a random number whose two highest bits are set. */
static void make_group(void *primes, size_t group) {
    const struct primes *k = primes;
    size_t i = group * GROUP, end = i + GROUP < k->count ? i + GROUP : k->count;
    unsigned long bits = k->o->bits / 2;
    bool *is_composite = util_alloc(SIEVE, 1);
    gmp_randstate_t random;
    mpz_t start, n, t, two;
    mpz_inits(start, n, t, two, NULL);
    mpz_set_ui(two, 2);
    mpz_set_ui(t, k->o->seed);
    mpz_mul_2exp(t, t, 64);
    mpz_add_ui(t, t, group);
    gmp_randinit_default(random);
    gmp_randseed(random, t);
    mpz_urandomb(start, random, bits - 2);
    mpz_setbit(start, bits - 1);
    mpz_setbit(start, bits - 2);
    mpz_setbit(start, 0);
    for (; i < end; mpz_add_ui(start, start, 2 * SIEVE)) {
        sieve(k, is_composite, start);
        for (unsigned j = 0; j < SIEVE && i < end; j++) {
            if (is_composite[j])
                continue;
            mpz_add_ui(n, start, 2 * j);
            mpz_sub_ui(t, n, 1);
            mpz_powm(t, two, t, n);
            if (mpz_cmp_ui(t, 1) == 0)
                mpz_set(k->p[i++], n);
        }
    }
    gmp_randclear(random);
    mpz_clears(start, n, t, two, NULL);
    free(is_composite);
}

/* Returns the moduli's indices in random order.  For j < `pairs`, the moduli at places 2j and 2j
 * + 1 of this order share a prime. */
static size_t *shuffle(const struct generate_options *o) {
    size_t *order = util_alloc(o->count, sizeof *order);
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, o->seed);
    for (size_t i = 0; i < o->count; i++)
        order[i] = i;
    for (size_t i = o->count - 1; i > 0; i--) {
        size_t j = gmp_urandomm_ui(random, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    gmp_randclear(random);
    return order;
}

int generate(FILE *out, const struct generate_options *o) {
    struct primes k = {.o = o, .p = util_numbers(2 * o->count), .count = 2 * o->count};
    size_t *order = shuffle(o);
    mpz_t n;
    mpz_init(n);
    list_small(&k);
    util_parallel_for(make_group, &k, (k.count + GROUP - 1) / GROUP);
    for (size_t j = 0; j < o->pairs; j++)
        mpz_set(k.p[order[2 * j]], k.p[order[2 * j + 1]]);
    for (size_t i = 0; i < o->count; i++) {
        mpz_mul(n, k.p[i], k.p[o->count + i]);
        gmp_fprintf(out, i % 2 ? "%Zd\n" : "%#Zx\n", n);
    }
    for (size_t j = 0; j < o->pairs; j++)
        fprintf(out, "# planted %zu %zu\n", order[2 * j] + 1, order[2 * j + 1] + 1);
    mpz_clear(n);
    free(order);
    free(k.small);
    util_free_numbers(k.p, k.count);
    return fflush(out) != 0 || ferror(out);
}

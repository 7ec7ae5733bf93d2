/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The sieve of Eratosthenes, in segments that fit a first-level cache.
 *
 * A byte represents 30 numbers from a multiple of 30 on: one bit for each of the eight without a
 * factor 2, 3 or 5. Multiples p m of a prime p use the same bit if their factors m are equal modulo
 * 30. The bytes of such multiples are p apart. Each segment begins as a copy of a pattern, in which
 * the multiples of 7, 11 and 13 are struck. */
#include "lib/algorithms/primes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/min.h"

enum {
    WHEEL = 30,
    SPOKES = 8,
    PATTERN = 7 * 11 * 13,            /* bytes after which the pattern of multiples repeats */
    FIRST = 17,                       /* the least prime whose multiples are struck */
    SEGMENT = PRIMES_SEGMENT / WHEEL, /* bytes */
    AT_ONCE = 64                      /* a word of 64 bits has at most this many primes */
};

static const uint8_t spoke[SPOKES] = {1, 7, 11, 13, 17, 19, 23, 29};

struct sieve {
    struct primes out;
    uint64_t most, after; /* the caller gets the primes in after + 1 .. most */
    uint64_t from;        /* index of the segment's first byte in the whole sieve */
    size_t word, words;   /* the next word of the segment; the number of its words */
    uint8_t bits[SEGMENT];
    uint8_t pattern[PATTERN];
    uint8_t place[WHEEL]; /* place[r]: the bit, in a byte, of the number that is r modulo 30 */
    /* number[i]: difference of the numbers that bit i and bit 0 of a word represent. */
    uint8_t number[64];
    size_t count; /* length of `prime`, which has the primes up to sqrt(most) */
    uint32_t prime[];
};

/* Strikes the multiples of p in {bits, n}, whose first byte is byte `from` of the whole sieve. p
 * has no factor 2, 3 or 5. In the first segment, a p above WHEEL strikes only from 31 p on. */
static void strike(const struct sieve *s, uint8_t *bits, uint64_t from, size_t n, uint64_t p) {
    uint64_t behind = from % p, skip = from == 0 && p >= WHEEL ? p : 0;
    for (unsigned k = 0; k < SPOKES; k++) {
        uint64_t product = p % WHEEL * spoke[k], at = p / WHEEL * spoke[k] + product / WHEEL;
        uint8_t keep = (uint8_t) ~(1u << s->place[product % WHEEL]);
        at = (at >= behind ? at - behind : at + p - behind) + skip;
        for (; at + 3 * p < n; at += 4 * p) {
            bits[at] &= keep;
            bits[at + p] &= keep;
            bits[at + 2 * p] &= keep;
            bits[at + 3 * p] &= keep;
        }
        for (; at < n; at += p)
            bits[at] &= keep;
    }
}

static void copy_pattern(struct sieve *s, size_t n) {
    size_t at = s->from % PATTERN, done = 0;
    while (done < n) {
        size_t part = min_u64(PATTERN - at, n - done);
        memcpy(s->bits + done, s->pattern + at, part);
        done += part;
        at = 0;
    }
}

/* Sieves the segment that begins at byte `from` of the whole sieve, in whole words.  Bits of
 * numbers above `most` may be wrong. */
static void sieve_segment(struct sieve *s, uint64_t from) {
    uint64_t n = min_u64(SEGMENT, (s->most / WHEEL - from) / 8 * 8 + 8);
    uint64_t end = WHEEL * (from + n);
    s->from = from;
    s->word = 0;
    s->words = n / 8;
    copy_pattern(s, n);
    for (size_t i = 0; i < s->count && (uint64_t)s->prime[i] * s->prime[i] < end; i++)
        strike(s, s->bits, from, n, s->prime[i]);
    if (from == 0)
        s->bits[0] = 0xfe; /* bits for 1, 7, 11 ... 29: all but 1 are primes */
}

/* Appends the primes of a 64-bit word of the sieve to `found`. `first` is the first number that the
 * word represents. */
static void give_word(struct sieve *s, uint64_t bits, uint64_t first) {
    unsigned long *to = s->out.found + s->out.count;
    for (; bits; bits &= bits - 1)
        *to++ = first + s->number[__builtin_ctzll(bits)];
    s->out.count = (size_t)(to - s->out.found);
}

/* Appends those primes of a 64-bit word of the sieve that are above s->after and at most s->most.
 */
static void give_part(struct sieve *s, uint64_t bits, uint64_t first) {
    size_t before = s->out.count, kept = before;
    give_word(s, bits, first);
    for (size_t i = before; i < s->out.count; i++)
        if (s->out.found[i] > s->after && s->out.found[i] <= s->most)
            s->out.found[kept++] = s->out.found[i];
    s->out.count = kept;
}

static uint64_t word_at(const struct sieve *s, size_t i) {
    uint64_t word = 0;
    /* Byte k has weight 2^(8 k), whatever the machine's byte order. */
    for (unsigned k = 0; k < 8; k++)
        word |= (uint64_t)s->bits[8 * i + k] << 8 * k;
    return word;
}

/* Appends 3 and 5, which the sieve has no bits for. */
static void give_first(struct sieve *s) {
    for (uint64_t p = 3; p <= 5; p += 2)
        if (p > s->after && p <= s->most)
            s->out.found[s->out.count++] = p;
    s->after = s->after > 5 ? s->after : 5;
}

bool primes_find(struct primes *out) {
    struct sieve *s = (struct sieve *)out;
    out->next = out->count = 0;
    give_first(s);
    while (out->count + AT_ONCE < PRIMES_AT_ONCE) {
        if (s->word == s->words && WHEEL * (s->from + 8 * s->words) > s->most)
            break;
        if (s->word == s->words)
            sieve_segment(s, s->from + 8 * s->words);
        uint64_t first = WHEEL * (s->from + 8 * s->word), bits = word_at(s, s->word++);
        if (first > s->after && first + 8 * WHEEL <= s->most)
            give_word(s, bits, first);
        else
            give_part(s, bits, first);
    }
    return out->count > 0;
}

void primes_skip(struct primes *out, unsigned long n) {
    struct sieve *s = (struct sieve *)out;
    uint64_t byte = n / (8 * WHEEL) * 8;
    while (out->next < out->count && out->found[out->next] <= n)
        out->next++;
    if (n <= s->after)
        return;
    s->after = n;
    if (n >= s->most) {
        s->word = s->words = 0;
        s->from = s->most / WHEEL + 1;
    } else if (byte >= s->from + 8 * s->words)
        sieve_segment(s, byte);
    else if (byte > s->from + 8 * s->word)
        s->word = (byte - s->from) / 8;
}

static uint64_t root_of(uint64_t n) {
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((r + bit) * (r + bit) <= n)
            r += bit;
    return r;
}

static bool is_prime(const struct sieve *s, uint32_t n) {
    if (n % 3 == 0 || n % 5 == 0 || n % 7 == 0 || n % 11 == 0 || n % 13 == 0)
        return false;
    for (size_t i = 0; i < s->count && (uint64_t)s->prime[i] * s->prime[i] <= n; i++)
        if (n % s->prime[i] == 0)
            return false;
    return true;
}

static void make_pattern(struct sieve *s) {
    static const uint64_t struck[] = {7, 11, 13};
    for (unsigned k = 0; k < SPOKES; k++)
        s->place[spoke[k]] = (uint8_t)k;
    for (unsigned k = 0; k < 64; k++)
        s->number[k] = (uint8_t)(k / SPOKES * WHEEL + spoke[k % SPOKES]);
    memset(s->pattern, 0xff, sizeof s->pattern);
    for (unsigned i = 0; i < 3; i++)
        strike(s, s->pattern, 0, PATTERN, struck[i]);
}

struct primes *primes_open(unsigned long most) {
    uint64_t root = root_of(most);
    struct sieve *s = calloc(1, sizeof *s + (root / 4 + 8) * sizeof s->prime[0]);
    if (!s)
        return NULL;
    s->most = most;
    for (uint32_t n = FIRST; n <= root; n += 2)
        if (is_prime(s, n))
            s->prime[s->count++] = n;
    make_pattern(s);
    primes_rewind(&s->out);
    return &s->out;
}

void primes_rewind(struct primes *out) {
    struct sieve *s = (struct sieve *)out;
    out->next = out->count = 0;
    s->after = 0;
    sieve_segment(s, 0);
}

void primes_close(struct primes *s) {
    free(s);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests conversion from numbers to digits, in valid and invalid bases.  Numbers have long runs of
 * equal bits, or many of the lowest and highest digits. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* The device converts numbers of at least this many limbs.  They have two or more "leaves": parts
 * of the text that one work-item converts (kernels/radix/text.h). */
enum { LEAST_LIMBS = 32 };

static int is_eligible(size_t un, int base) {
    return un >= LEAST_LIMBS && base > 2 && (base & (base - 1)) != 0;
}

/* Allocates and sets a random number {up, un}, with one limb more, which GMP's functions may
 * overwrite. */
static mp_ptr random_number(struct run *run, size_t *un, int base) {
    size_t vn;
    run_sizes(run, un, &vn);
    mp_ptr up = run_room((*un + 2) * sizeof *up);
    *un = run_number(run, up, *un, base);
    return up;
}

/* Returns enough bytes for the digits of un limbs in any base, a sign, a NUL, and one byte more
 * that GMP may write. */
static size_t most_digits(size_t un) {
    return un * GMP_NUMB_BITS + 3;
}

static int run_mpn(struct run *run, const void *how) {
    int base = 2 + (int)run_below(run, run_below(run, 2) ? 9 : 255);
    size_t un;
    mp_ptr up = random_number(run, &un, base), copy = run_room((un + 1) * sizeof *copy);
    unsigned char *sp = run_room(most_digits(un)), *wanted = run_room(most_digits(un));
    (void)how;
    memcpy(copy, up, un * sizeof *copy);
    size_t wn = run->reference->mpn_get_str(wanted, base, copy, (mp_size_t)un);
    run->eligible += is_eligible(un, base) != 0;
    memset(sp, 0xa5, most_digits(un));
    size_t n = mpn_get_str(sp, base, up, (mp_size_t)un);
    int good = n == wn && memcmp(sp, wanted, n) == 0;
    if (!good)
        fprintf(stderr, "differential: mpn_get_str, %zu limbs in base %d: wrong\n", un, base);
    free(up);
    free(copy);
    free(sp);
    free(wanted);
    return good;
}

struct text {
    mpz_t u;
    int base; /* the base passed to the call, which may be invalid */
    char *wanted;
};

static void text_make(struct run *run, struct text *t) {
    int bases[] = {10, (int)run_below(run, 110) - 40, 3 + (int)run_below(run, 60)};
    t->base = bases[run_below(run, 3)];
    int base = t->base > 2 ? t->base : 10;
    size_t un;
    mp_ptr up = random_number(run, &un, base);
    mpz_init(t->u);
    memcpy(mpz_limbs_write(t->u, (mp_size_t)un), up, un * sizeof *up);
    mpz_limbs_finish(t->u, run_below(run, 2) ? (mp_size_t)un : -(mp_size_t)un);
    t->wanted = run_room(most_digits(un));
    if (!run->reference->mpz_get_str(t->wanted, t->base, t->u))
        *t->wanted = 0;
    run->eligible += *t->wanted && is_eligible(un, abs(t->base));
    free(up);
}

static int text_check(struct text *t, const char *function, int good) {
    if (!good)
        fprintf(stderr, "differential: %s, %zu limbs in base %d: wrong\n", function, mpz_size(t->u),
                t->base);
    mpz_clear(t->u);
    free(t->wanted);
    return good;
}

/* Writes the digits into a given buffer with guard bytes behind it, or into a block that GMP
 * allocates. */
static int run_mpz_get_str(struct run *run, const void *how) {
    struct text t;
    text_make(run, &t);
    size_t bytes = strlen(t.wanted) + 1;
    char *room = run_below(run, 2) ? run_room(bytes + 16) : NULL;
    if (room)
        memset(room, 0x5a, bytes + 16);
    else
        run_free_text(run, run->reference->mpz_get_str(NULL, t.base, t.u)); /* to compare blocks */
    char *s = mpz_get_str(room, t.base, t.u);
    int good = same_text(s, room, *t.wanted ? t.wanted : NULL);
    for (size_t i = 0; good && room && i < 14; i++)
        good = room[bytes + 2 + i] == 0x5a; /* skips two bytes that GMP may write */
    free(room);
    return text_check(&t, how, good);
}

static int run_mpz_out_str(struct run *run, const void *how) {
    struct text t;
    char *text = NULL;
    size_t size = 0;
    text_make(run, &t);
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        fputs("differential: no memory stream\n", stderr);
        exit(1);
    }
    size_t written = mpz_out_str(stream, t.base, t.u);
    fclose(stream);
    int good = written == size && strcmp(text, t.wanted) == 0;
    free(text);
    return text_check(&t, how, good);
}

const struct differential_case differential_get_str[] = {
    {"mpn_get_str", run_mpn, NULL},
    {"mpz_get_str", run_mpz_get_str, "mpz_get_str"},
    {"mpz_out_str", run_mpz_out_str, "mpz_out_str"},
    {NULL, NULL, NULL},
};

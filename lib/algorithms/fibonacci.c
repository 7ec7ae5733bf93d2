/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers: where they begin, and the recipe's work. */
#include "lib/algorithms/fibonacci.h"

#include <limits.h>

#include "lib/algorithms/recipe.h"
#include "lib/base/ceil_div.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* GMP computes the first numbers, of at most START_BITS bits, in microseconds. */
enum { START_BITS = 1 << 15, START_LIMBS = START_BITS / 64 + 1 };

size_t fibonacci_size(unsigned long n) {
    size_t limbs = n / FIBONACCI_LIMB_INDICES;
    return limbs > INT_MAX / 2 ? 0 : limbs;
}

struct work {
    struct calc_fibonacci f;
    mp_ptr rp, sp;
    uint64_t limbs;
};

static void work(struct calc *c, void *argument) {
    const struct work *k = argument;
    struct calc_fibonacci_pair r = calc_fibonacci(c, &k->f);
    calc_download(c, k->rp, r.a, k->limbs);
    if (k->sp)
        calc_download(c, k->sp, r.b, k->limbs);
}

/* F[k] and F[k-1] to `start`; their limbs. */
static size_t begin(mp_ptr start, unsigned long k) {
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    real.mpz_fib2_ui(a, b, k);
    size_t limbs = mpz_size(a);
    normalize_pad(start, limbs, a);
    normalize_pad(start + limbs, limbs, b);
    mpz_clear(a);
    mpz_clear(b);
    return limbs;
}

/* A number of the library's own. */
static mp_ptr room(mpz_ptr x, size_t limbs) {
    memory_init(x, limbs);
    return x->_mp_d;
}

static void keep(mpz_ptr r, mpz_ptr x, size_t limbs) {
    mpz_limbs_finish(x, (mp_size_t)limbs);
    mpz_swap(r, x);
}

bool fibonacci(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n, int kind) {
    mp_limb_t start[2 * START_LIMBS];
    struct work k = {.f = {.n = n, .kind = kind, .steps = 1, .start = start}};
    if (n < 2)
        return false;
    while (calc_fibonacci_bits(n >> k.f.steps) > START_BITS)
        k.f.steps++;
    k.f.start_limbs = begin(start, n >> k.f.steps);
    k.limbs = ceil_div(calc_fibonacci_result_bits(&k.f), 64);
    mpz_t x, y; /* r and s may be the same */
    k.rp = room(x, k.limbs);
    k.sp = s ? room(y, k.limbs) : NULL;
    const struct touch touches[] = {{k.rp, k.limbs * sizeof *k.rp, true},
                                    {k.sp, s ? k.limbs * sizeof *k.sp : 0, true}};
    bool done = recipe_run(w, work, &k, sizeof k, touches, sizeof touches / sizeof *touches, 0);
    if (done)
        keep(r, x, k.limbs);
    mpz_clear(x);
    if (done && s)
        keep(s, y, k.limbs);
    if (s)
        mpz_clear(y);
    return done;
}

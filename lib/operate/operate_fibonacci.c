/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers: what the host does, and the device's part. */
#include "lib/operate/operate_fibonacci.h"

#include "lib/base/ceil_div.h"
#include "lib/gmp/real.h"
#include "lib/operate/composition.h"

/* The host begins with numbers of at most so many bits, which GMP makes in microseconds. */
enum { START_BITS = 1 << 15, START_LIMBS = START_BITS / 64 + 1 };

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

size_t operate_fibonacci_limbs(unsigned long n) {
    const struct calc_fibonacci f = {.n = n, .kind = CALC_FIBONACCI_LUCAS};
    return ceil_div(calc_fibonacci_result_bits(&f), 64);
}

static void copy(mp_ptr to, mpz_srcptr x, size_t limbs) {
    mpn_zero(to, (mp_size_t)limbs);
    mpn_copyi(to, x->_mp_d, (mp_size_t)mpz_size(x));
}

/* F[k] and F[k-1] to `start`; their limbs. */
static size_t begin(mp_ptr start, unsigned long k) {
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    real.mpz_fib2_ui(a, b, k);
    size_t limbs = mpz_size(a);
    copy(start, a, limbs);
    copy(start + limbs, b, limbs);
    mpz_clear(a);
    mpz_clear(b);
    return limbs;
}

/* The results' limbs that the device's numbers have not. */
static void finish(const struct operate_fibonacci *f, size_t limbs) {
    size_t rest = operate_fibonacci_limbs(f->n) - limbs;
    mpn_zero(f->rp + limbs, (mp_size_t)rest);
    if (f->sp)
        mpn_zero(f->sp + limbs, (mp_size_t)rest);
}

enum outcome operate_fibonacci(const struct operate_fibonacci *f) {
    mp_limb_t start[2 * START_LIMBS];
    struct work k = {.f = {.n = f->n, .kind = f->kind, .steps = 1}, .rp = f->rp, .sp = f->sp};
    while (calc_fibonacci_bits(f->n >> k.f.steps) > START_BITS)
        k.f.steps++;
    k.f.start = start;
    k.f.start_limbs = begin(start, f->n >> k.f.steps);
    k.limbs = ceil_div(calc_fibonacci_result_bits(&k.f), 64);
    size_t bytes = operate_fibonacci_limbs(f->n) * sizeof *f->rp;
    const struct touch touches[] = {{f->rp, bytes, true}, {f->sp, f->sp ? bytes : 0, true}};
    enum outcome outcome =
        composition_run(work, &k, sizeof k, touches, sizeof touches / sizeof *touches);
    if (outcome == OUTCOME_DONE)
        finish(f, k.limbs);
    return outcome;
}

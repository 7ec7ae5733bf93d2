/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers: what the host does, and the device's part. */
#include "lib/operate/operate_power.h"

#include "lib/base/ceil_div.h"
#include "lib/calc/calc_power.h"
#include "lib/gmp/real.h"
#include "lib/operate/composition.h"

/* As long as it has fewer limbs, a power is GMP's, which makes it in microseconds. */
enum { START_LIMBS = 128 };

struct work {
    struct calc_power p;
    mp_ptr rp;
    uint64_t limbs;
};

static void work(struct calc *c, void *argument) {
    const struct work *k = argument;
    calc_download(c, k->rp, calc_power(c, &k->p), k->limbs);
}

/* So many squares are left for the device, one at least. */
static unsigned steps_of(size_t bn, unsigned long e) {
    unsigned steps = 1;
    while (e >> steps > 1 && (e >> steps) > START_LIMBS / bn)
        steps++;
    return steps;
}

enum outcome operate_power(mp_ptr rp, size_t alloc, size_t *rn, mp_srcptr bp, size_t bn,
                           unsigned long e, mp_bitcnt_t twos) {
    const mpz_t base = MPZ_ROINIT_N((mp_ptr)bp, (mp_size_t)bn);
    const size_t zeros = twos / GMP_NUMB_BITS;
    const unsigned steps = steps_of(bn, e);
    enum outcome outcome = OUTCOME_SIZE;
    mpz_t start;
    mpz_init(start);
    real.mpz_pow_ui(start, base, e >> steps);
    struct work k = {
        {bp, start->_mp_d, bn, mpz_size(start), e, steps, twos % GMP_NUMB_BITS}, rp + zeros, 0};
    k.limbs = ceil_div(calc_power_bits(&k.p), GMP_NUMB_BITS);
    *rn = zeros + k.limbs;
    const struct touch touches[] = {{bp, bn * sizeof *bp, false}, {rp, *rn * sizeof *rp, true}};
    if (*rn <= alloc)
        outcome = composition_run(work, &k, sizeof k, touches, sizeof touches / sizeof *touches);
    if (outcome == OUTCOME_DONE)
        mpn_zero(rp, (mp_size_t)zeros);
    mpz_clear(start);
    return outcome;
}

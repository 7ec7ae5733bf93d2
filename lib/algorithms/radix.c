/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sends radix conversions to the device. */
#include "lib/algorithms/radix.h"

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/calc/calc_text.h"
#include "lib/algorithms/radix_job.h"
#include "lib/session/session.h"

size_t radix_limbs(int base, size_t digits) {
    struct calc_cut cut = calc_cut_plan((unsigned)base, digits);
    return ceil_div(calc_cut_bits(&cut, digits), GMP_NUMB_BITS) + 1;
}

size_t radix_digits(int base, size_t n) {
    uint64_t least, most;
    calc_cut_digits((unsigned)base, ~(uint64_t)0, n * GMP_NUMB_BITS, &least, &most);
    return most;
}

/* Returns false with the option verify:full. GMP then computes each result, so the device would
 * save no time. */
static bool device_serves(void) {
    return mpgpu_conf.verify < VERIFY_FULL && session_ready() == OUTCOME_DONE;
}

size_t radix_set(struct composite *w, mp_ptr rp, const unsigned char *sp, size_t n, int base,
                 unsigned characters) {
    size_t rn = 0;
    bool is_number = false;
    if (!device_serves())
        return 0;
    enum outcome outcome =
        radix_job_set(rp, &rn, radix_limbs(base, n), sp, n, (unsigned)base, characters, &is_number);
    composite_count(w, outcome);
    return outcome == OUTCOME_DONE && is_number ? rn : 0;
}

size_t radix_get(struct composite *w, unsigned char *sp, mp_srcptr up, size_t un, int base,
                 unsigned characters) {
    size_t n = 0;
    if (!device_serves())
        return 0;
    enum outcome outcome = radix_job_get(sp, &n, up, un, (unsigned)base, characters);
    composite_count(w, outcome);
    return outcome == OUTCOME_DONE ? n : 0;
}

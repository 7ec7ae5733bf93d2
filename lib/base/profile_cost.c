/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's times: between two measured sizes, time is a power of the size. Logarithms are integers in
 * units of 2^-16, so the code needs neither floating point nor libm. */
#include "config.h"

#include "lib/base/profile_cost.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"

const char *const profile_cost_names[PROFILE_COSTS] = {"gmp_mul", "gmp_sqr", "gmp_div"};

static bool parse_number(const char *text, size_t length, size_t *value) {
    char digits[32];
    if (length >= sizeof digits)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)length, text);
    return conf_key_parse_limbs(digits, value) && *value >= 1 && *value <= MPGPU_UNSET / 4;
}

bool profile_cost_set(struct profile_cost *c, const char *value, struct item_source source) {
    size_t length = strcspn(value, " \t"), limbs, ns;
    const char *behind = value + length + strspn(value + length, " \t");
    if (c->steps == PROFILE_MOST_STEPS || !parse_number(value, length, &limbs) ||
        !parse_number(behind, strlen(behind), &ns))
        return false;
    if (c->steps && limbs <= c->step[c->steps - 1].limbs)
        return false;
    c->step[c->steps++] = (struct profile_cost_step){limbs, ns};
    c->source = (struct item_source){source.name, 0};
    return true;
}

void profile_cost_text(const struct profile_cost_step *step, char *text, size_t size) {
    snprintf(text, size, "%zu %llu", step->limbs, (unsigned long long)step->ns);
}

enum { BITS = 16, ONE = 1 << BITS };

/* Returns log2(x), x >= 1, in units of 1 / ONE. Each squaring yields one bit of the fraction. */
static int64_t log_of(uint64_t x) {
    int whole = 63 - __builtin_clzll(x);
    uint64_t m = whole > 31 ? x >> (whole - 31) : x << (31 - whole); /* 2^31 <= m < 2^32 */
    int64_t log = whole;
    for (int i = 0; i < BITS; i++) {
        m = m * m >> 31;
        log = 2 * log + (m >> 32 != 0);
        m >>= m >> 32 != 0;
    }
    return log;
}

/* Returns 2^(log / ONE), with an error of at most 3 in 10,000. Computes the power for log's
 * fraction by the first terms of a series. */
static uint64_t power_of(int64_t log) {
    static const uint64_t TERMS[] = {41309550, 238388159, 1031764991, 2977044472}; /* 2^32 is 1 */
    uint64_t fraction = (uint64_t)(log & (ONE - 1)), sum = 5726620;
    int64_t whole = log >> BITS;
    if (whole < 0 || whole > 62)
        return whole < 0 ? 1 : UINT64_C(1) << 62;
    for (int i = 0; i < 4; i++)
        sum = TERMS[i] + (sum * fraction >> BITS);
    sum = (UINT64_C(1) << 32) + (sum * fraction >> BITS);
    if (whole > 31)
        return sum << (whole - 32);
    return (sum + (UINT64_C(1) << (31 - whole))) >> (32 - whole);
}

/* Returns the index of the step at which the interpolation begins: the last step not above the
 * size, but never the very last one. */
static int place(const struct profile_cost *c, size_t limbs) {
    int i = 0;
    while (i + 2 < c->steps && c->step[i + 1].limbs <= limbs)
        i++;
    return i;
}

/* Returns the time for `limbs` limbs, interpolated between the measured steps a and b; beyond them,
 * extrapolated with an exponent from 1 to 2. */
static uint64_t through(const struct profile_cost_step *a, const struct profile_cost_step *b,
                        size_t limbs) {
    int64_t x = log_of(limbs), x0 = log_of(a->limbs), y0 = log_of(a->ns);
    int64_t across = log_of(b->limbs) - x0, up = log_of(b->ns) - y0;
    bool is_below = limbs<a->limbs, is_above = limbs> b->limbs;
    if (is_above)
        x0 = log_of(b->limbs), y0 = log_of(b->ns);
    if (is_below || is_above) {
        up = up < across ? across : up;
        up = up > 2 * across ? 2 * across : up;
    }
    return power_of(y0 + (across ? (x - x0) * up / across : 0));
}

static uint64_t cost(const struct profile_cost *c, size_t limbs) {
    if (c->steps == 0 || limbs == 0)
        return 0;
    int i = place(c, limbs);
    for (int k = i; k < c->steps && k < i + 2; k++)
        if (c->step[k].limbs == limbs)
            return c->step[k].ns;
    struct profile_cost_step double_size = {2 * c->step[0].limbs, 2 * c->step[0].ns};
    return through(&c->step[i], c->steps > 1 ? &c->step[i + 1] : &double_size, limbs);
}

uint64_t profile_gmp_ns(const struct profile *p, enum profile_threshold kind, size_t limbs) {
    switch (kind) {
    case PROFILE_mul:
        return cost(&p->cost[PROFILE_GMP_MUL], limbs);
    case PROFILE_sqr:
        return cost(&p->cost[PROFILE_GMP_SQR], limbs);
    case PROFILE_div:
        return cost(&p->cost[PROFILE_GMP_DIV], limbs);
    case PROFILE_mulmod: /* for a modular product, GMP takes half of a whole product's time
                          * (lib/base/profile_model.c) */
        return cost(&p->cost[PROFILE_GMP_MUL], limbs) / 2;
    default:
        return 0;
    }
}

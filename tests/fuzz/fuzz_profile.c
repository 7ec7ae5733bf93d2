/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: the parser of profiles (files with a device's thresholds and speeds). Checks that
 * each bad line causes one warning, and that a profile which is written and parsed again stays
 * the same. */
#include "config.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/profile.h"
#include "tests/fuzz/parser.h"

void parser_check_warning(const char *warning) {
    FUZZ_CHECK(strncmp(warning, "here:", 5) == 0);
}

static void parse(const char *text, size_t size, struct profile *p) {
    char *copy = strndup(text, size);
    FUZZ_CHECK(copy);
    profile_clear(p);
    parser_warnings = 0;
    FUZZ_CHECK(profile_parse(copy, "here", p) == parser_warnings);
    free(copy);
}

static void check_same_choice(const struct profile_choice *c, const struct profile_choice *d) {
    FUZZ_CHECK(c->steps == d->steps);
    for (int i = 0; i < c->steps; i++)
        FUZZ_CHECK(c->step[i].limbs == d->step[i].limbs &&
                   c->step[i].algorithm == d->step[i].algorithm);
}

static void check_same_cost(const struct profile_cost *c, const struct profile_cost *d) {
    FUZZ_CHECK(c->steps == d->steps);
    for (int i = 0; i < c->steps; i++)
        FUZZ_CHECK(c->step[i].limbs == d->step[i].limbs && c->step[i].ns == d->step[i].ns);
}

static void check_same(const struct profile *p, const struct profile *q) {
    FUZZ_CHECK(strcmp(p->backend, q->backend) == 0 && strcmp(p->device, q->device) == 0 &&
               strcmp(p->vendor, q->vendor) == 0 && p->cpu == q->cpu);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        FUZZ_CHECK(p->value[i] == q->value[i]);
    for (int k = 0; k < PROFILE_CHOICES; k++)
        check_same_choice(&p->choice[k], &q->choice[k]);
    for (int k = 0; k < PROFILE_COSTS; k++)
        check_same_cost(&p->cost[k], &q->cost[k]);
}

static void check_sane_choice(const struct profile *p, enum profile_choices which) {
    const struct profile_choice *c = &p->choice[which];
    FUZZ_CHECK(c->steps >= 0 && c->steps <= PROFILE_MOST_STEPS);
    for (int i = 1; i < c->steps; i++)
        FUZZ_CHECK(c->step[i - 1].limbs < c->step[i].limbs);
    FUZZ_CHECK(c->steps == 0 ||
               profile_algorithm(p, which, MPGPU_NEVER) == c->step[c->steps - 1].algorithm);
}

static void check_sane_cost(const struct profile *p, const struct profile_cost *c,
                            enum profile_threshold kind) {
    FUZZ_CHECK(c->steps >= 0 && c->steps <= PROFILE_MOST_STEPS);
    for (int i = 0; i < c->steps; i++)
        FUZZ_CHECK(profile_gmp_ns(p, kind, c->step[i].limbs) == c->step[i].ns);
    FUZZ_CHECK(c->steps == 0 || profile_gmp_ns(p, kind, MPGPU_NEVER) > 0);
}

/* Checks properties that the library relies on for every profile that was parsed. */
static void check_sane(const struct profile *p) {
    for (int k = 0; k < PROFILE_CHOICES; k++)
        check_sane_choice(p, (enum profile_choices)k);
    check_sane_cost(p, &p->cost[PROFILE_GMP_MUL], PROFILE_mul);
    check_sane_cost(p, &p->cost[PROFILE_GMP_SQR], PROFILE_sqr);
    check_sane_cost(p, &p->cost[PROFILE_GMP_DIV], PROFILE_div);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        FUZZ_CHECK(p->value[i] == MPGPU_UNSET || profile_limbs(p, i) <= MPGPU_NEVER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = NULL;
    size_t length = 0;
    struct profile p, again;
    if (size == 0)
        return 0;
    parse((const char *)data, size, &p);
    check_sane(&p);
    FILE *file = open_memstream(&text, &length);
    FUZZ_CHECK(file);
    profile_write(file, &p);
    fputs("#\n", file); /* fmemopen fails for an empty text */
    fclose(file);
    parse(text, length, &again);
    FUZZ_CHECK(parser_warnings == 0);
    check_same(&p, &again);
    free(text);
    return 0;
}

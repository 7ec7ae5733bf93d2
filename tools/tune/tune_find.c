/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the values of a profile: first GMP's times, then the algorithms, the thresholds of
 * products, and at last those of composite operations, which consist of products.  Afterwards
 * measures the algorithms and thresholds again, at sizes below and above them. */
#include "tools/tune/tune.h"

#include "lib/base/conf_key.h"
#include "lib/base/stats.h"
#include "lib/session/session.h"

/* MARGIN: the part of GMP's time by which a device must be faster to be used.  CHANGE: the part of
 * the time by which an algorithm must be faster to replace another. */
static const double MARGIN = 0.04, CHANGE = 0.03;

enum { ATTEMPTS = 3, QUICK_SECONDS = 180 /* time limit of a quick search on a loaded machine */ };

static const struct tune_range range = {32, (size_t)1 << 24, 0.3, 8};
static const struct tune_range quick = {32, (size_t)1 << 20, 0.01, 3};

/* Sizes at which algorithms are compared.  Larger products use the algorithm of the largest
 * size. */
static const struct tune_range choices = {32, (size_t)1 << 22, 0.3, 4};
static const struct tune_range quick_choices = {32, (size_t)1 << 13, 0.01, 1};

static const struct timing_budget budget = {
    .seconds = 0.02, .warm = 2, .least = 3, .most = 101, .end = 2};
static const struct timing_budget quick_budget = {
    .seconds = 0.002, .warm = 1, .least = 5, .most = 15, .end = 0.2};

/* Finds the fastest algorithm for each size.  If the time is limited, tuner_find allows it half of
 * the time. */
static int find_algorithms(struct tuner *t) {
    static struct tune_curve curve;
    int status = 0;
    for (int which = 0; which < PROFILE_CHOICES && status == 0; which++) {
        struct profile_choice *c = &t->profile.choice[which];
        t->choice = (enum profile_choices)which;
        status = tune_choices(t->options.quick ? &quick_choices : &choices, ALGORITHMS, CHANGE,
                              tuner_time_algorithms, t, &curve, c->step, &c->steps);
        session_use_profile(&t->profile);
    }
    return status;
}

/* Returns true if the profile has a value other than GMP's times. */
static bool has_found(const struct profile *p) {
    for (int i = 0; i < PROFILE_CHOICES; i++)
        if (p->choice[i].steps > 0)
            return true;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (p->value[i] != MPGPU_UNSET)
            return true;
    return false;
}

static bool lacks_any(const struct profile *p) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (p->value[i] == MPGPU_UNSET)
            return true;
    return false;
}

static void print_lacking(const struct profile *p) {
    fputs("not found, and left to other profiles:", stderr);
    for (int i = 0; i < PROFILE_CHOICES; i++)
        if (p->choice[i].steps == 0)
            fprintf(stderr, " %s", profile_choice_names[i]);
    for (int i = 0; i < PROFILE_COSTS; i++)
        if (p->cost[i].steps == 0)
            fprintf(stderr, " %s", profile_cost_names[i]);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (p->value[i] == MPGPU_UNSET)
            fprintf(stderr, " %s", work_operations[i].name);
    fputc('\n', stderr);
}

/* Reports values that were not found; programs then take them from another profile.  Returns
 * nonzero if none was found. */
static int end_search(struct tuner *t) {
    if (!has_found(&t->profile)) {
        fputs("mpgpu-tune: nothing was found in that time, nothing is written\n", stderr);
        return 1;
    }
    if (t->is_stopped || lacks_any(&t->profile)) {
        fprintf(stderr, "mpgpu-tune: %s", t->is_stopped ? "the time is over; " : "");
        print_lacking(&t->profile);
    }
    t->until = 0; /* tuner_verify has a separate time limit */
    return t->is_stopped = false;
}

/* Returns `limbs` as the profile stores threshold `which`: in tenths of the threshold on which
 * `which` depends.  Returns MPGPU_NEVER if that threshold or `limbs` is MPGPU_NEVER. */
static size_t tenths_of(const struct profile *p, enum profile_threshold which, size_t limbs) {
    struct profile tenfold = *p;
    tenfold.value[which] = 10;
    size_t of = profile_limbs(&tenfold, which);
    if (limbs == MPGPU_NEVER || of == MPGPU_NEVER)
        return MPGPU_NEVER;
    return (10 * limbs + of - 1) / of;
}

/* Sets the threshold so that GMP computes the operation at all sizes.  A quick search leaves it
 * unset, because the device may be faster above the measured sizes. */
static void leave_to_gmp(struct tuner *t, int which) {
    t->profile.value[which] = t->options.quick ? MPGPU_UNSET : MPGPU_NEVER;
    t->finding[which].is_done = !t->options.quick;
}

static int find_threshold(struct tuner *t, const struct tune_range *r, int which) {
    static struct tune_curve curve;
    struct tune_finding *f = &t->finding[which];
    const char *reason;
    t->operation = &work_operations[which];
    int status = tune_threshold(r, MARGIN, tuner_time_operation, t, &curve, &f->limbs, &reason);
    if (status)
        return status;
    f->is_done = true;
    f->largest = curve.point[curve.points - 1].size;
    t->profile.value[which] =
        t->operation->is_composite ? tenths_of(&t->profile, which, f->limbs) : f->limbs;
    if (profile_limbs(&t->profile, (enum profile_threshold)which) == MPGPU_NEVER)
        leave_to_gmp(t, which);
    if (t->options.verbose)
        printf("%s: the way up ended at %zu limbs: %s\n", t->operation->name, f->largest, reason);
    return 0;
}

/* Searches for a threshold, and repeats the search a few times if other load on the machine
 * disturbed it.  If the gain is not confirmed, GMP computes the operation. */
static int find_steadily(struct tuner *t, const struct tune_range *r, int which) {
    struct tuner_sides sides = {.holds = false};
    int status = 0;
    for (int i = 0; i < ATTEMPTS && status == 0 && !sides.holds; i++) {
        status = find_threshold(t, r, which);
        if (status || !t->finding[which].is_done ||
            profile_limbs(&t->profile, which) == MPGPU_NEVER)
            return status;
        status = tuner_measure_sides(t, which, &sides);
    }
    if (t->is_stopped) {
        t->profile.value[which] = MPGPU_UNSET;
        t->finding[which].is_done = false;
    }
    if (status == 0 && sides.faster < 1)
        leave_to_gmp(t, which);
    return status;
}

/* Returns false if the threshold of operation `which` need not be measured: composite operations
 * consist of products, so they gain nothing if the device is never faster for products. */
static bool is_worth_it(const struct tuner *t, int which) {
    size_t mul = t->profile.value[PROFILE_mul];
    return !work_operations[which].is_composite || (mul != MPGPU_NEVER && mul != MPGPU_UNSET);
}

int tuner_find(struct tuner *t) {
    const struct tune_range *r = t->options.quick ? &quick : &range;
    t->budget = t->options.quick ? quick_budget : budget;
    if (t->options.quick && t->options.seconds == 0)
        t->options.seconds = QUICK_SECONDS;
    double half = t->options.seconds / 2;
    t->until = half > 0 ? stats_clock() + half : 0;
    session_use_profile(&t->profile);
    int status = tuner_find_costs(t);
    status = status ? status : find_algorithms(t);
    if (half > 0)
        t->until += half;
    if (t->is_stopped)
        status = t->is_stopped = false;
    for (int i = 0; i < PROFILE_THRESHOLDS && status == 0; i++)
        if (is_worth_it(t, i))
            status = find_steadily(t, r, i);
    tuner_end_progress();
    return status && !t->is_stopped ? status : end_search(t);
}

/* ---- each value is measured again, below and above it */

/* a value is confirmed if, at sizes a third below and a half above it, the profile's choice takes
 * at most this many times as long as the alternative */
static const double HOLDS = 1.15;

static void print_sides(struct tuner *t, const char *name, size_t limbs,
                        const struct tuner_sides *s) {
    char value[32];
    tuner_end_progress();
    t->unsteady += !s->holds;
    snprintf(value, sizeof value, "%zu limbs", limbs);
    printf("%-10s %-14s %9.2f at %-9zu %9.2f at %-9zu %s\n", name, value, s->slower, s->below,
           s->faster, s->above, s->holds ? "holds" : "UNSTEADY");
}

/* Returns how many times as fast b is: a / b for times a and b.  A negative time means no result:
 * returns 0 if b has none, 1 if only a has none. */
static double faster(double a, double b) {
    return b < 0 ? 0 : a < 0 ? 1 : a / b;
}

static void judge(struct tuner_sides *s, const struct tune_point *below,
                  const struct tune_point *above, int before, int after) {
    s->slower = faster(below->seconds[before], below->seconds[after]);
    s->faster = faster(above->seconds[before], above->seconds[after]);
    s->holds = s->slower <= HOLDS && s->faster * HOLDS >= 1;
}

static struct tuner_sides sides_of(size_t limbs) {
    return (struct tuner_sides){.below = limbs - limbs / 3, .above = limbs + limbs / 2};
}

int tuner_measure_sides(struct tuner *t, int which, struct tuner_sides *s) {
    struct tune_point below, above;
    *s = sides_of(profile_limbs(&t->profile, which));
    below.size = s->below, above.size = s->above;
    t->operation = &work_operations[which];
    int status = tuner_time_operation(t, &below);
    status = status ? status : tuner_time_operation(t, &above);
    if (status == 0)
        judge(s, &below, &above, 0, 1);
    return status;
}

static int verify_threshold(struct tuner *t, int which) {
    struct tuner_sides s;
    int status = tuner_measure_sides(t, which, &s);
    if (status == 0)
        print_sides(t, work_operations[which].name, profile_limbs(&t->profile, which), &s);
    return status;
}

/* Measures a step of t->choice again, the size at which another algorithm becomes faster. Times
 * the algorithms before and after the step, at a size below the step and at a size above. Not
 * used for the first step, which begins at size 1. */
static int verify_step(struct tuner *t, const struct profile_step *step) {
    static const char *const kind[PROFILE_CHOICES] = {"", "mulmod ", "other mulmod "};
    struct tuner_sides s = sides_of(step->limbs);
    struct tune_point below = {.size = s.below}, above = {.size = s.above};
    char algorithm[16], name[64];
    int before = step[-1].algorithm, after = step->algorithm;
    int status = tuner_time_algorithms(t, &below);
    status = status ? status : tuner_time_algorithms(t, &above);
    if (status == 0)
        judge(&s, &below, &above, before, after);
    conf_key_word_at(conf_keys[CONF_KEY_algorithm].words, after, algorithm, sizeof algorithm);
    snprintf(name, sizeof name, "%s%s", kind[t->choice], algorithm);
    if (status == 0)
        print_sides(t, name, step->limbs, &s);
    return status;
}

static void print_never(const struct tuner *t, int which) {
    printf("%-10s %-14s up to %zu limbs\n", work_operations[which].name, "never",
           t->finding[which].largest);
}

int tuner_verify(struct tuner *t) {
    int status = 0;
    t->budget.least = 2 * t->budget.least + 1;
    printf("%-10s %-14s %22s %22s\n", "", "from", "below: times faster", "above: times faster");
    for (int k = 0; k < PROFILE_CHOICES; k++) {
        t->choice = (enum profile_choices)k;
        for (int i = 1; i < t->profile.choice[k].steps && status == 0; i++)
            status = verify_step(t, &t->profile.choice[k].step[i]);
    }
    for (int i = 0; i < PROFILE_THRESHOLDS && status == 0; i++) {
        if (t->finding[i].is_done && profile_limbs(&t->profile, i) == MPGPU_NEVER)
            print_never(t, i);
        else if (t->finding[i].is_done)
            status = verify_threshold(t, i);
    }
    if (t->unsteady)
        fprintf(stderr, "mpgpu-tune: %d of these do not hold: has the machine other work?\n",
                t->unsteady);
    return status;
}

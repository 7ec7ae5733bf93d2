/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One product by every algorithm: results and times. */
#include <stdio.h> /* before gmp.h */

#include "tools/tune/tune_measure.h"

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"
#include "lib/multiply/product.h"
#include "lib/session/session.h"

enum { BOTH_SHAPES = 1 << 17 }; /* limbs up to which GMP makes two products to compare with */

/* An algorithm's turn. */
struct turn {
    struct tune_work *work;
    const struct profile *profile;
    int algorithm;
};

void tuner_algorithm_name(int algorithm, char *text, size_t size) {
    conf_key_word_at(conf_keys[CONF_KEY_algorithm].words, algorithm, text, size);
}

/* Operands of one shape: compares every algorithm's result with GMP's.  can[i] becomes false if the
 * device did not do it. */
static int check_shape(struct tune_work *w, const struct profile *p, bool can[ALGORITHMS]) {
    int status = 0;
    mpz_t right;
    mpz_init(right);
    tune_make_right(w, right);
    for (int i = 0; i < ALGORITHMS && status == 0; i++) {
        if (!can[i])
            continue;
        mpgpu_conf.algorithm = i;
        enum tune_result result = tune_compare(w, p, right);
        can[i] = result == TUNE_RIGHT;
        if (result == TUNE_WRONG)
            status = tuner_fail_wrong(w->operation->what, w->n);
        else if (session_ready() != OUTCOME_DONE)
            status = tuner_fail_device();
    }
    mpz_clear(right);
    return status;
}

static int check(struct tune_work *w, const struct profile *p, bool can[ALGORITHMS]) {
    w->shape = TIMING_RUNS;
    int status = check_shape(w, p, can);
    w->shape = TIMING_RANDOM;
    return status == 0 && w->n <= BOTH_SHAPES ? check_shape(w, p, can) : status;
}

static int prepare(void *context) {
    const struct turn *turn = context;
    turn->work->operation->prepare(turn->work);
    mpgpu_conf.algorithm = turn->algorithm;
    tune_use_device(turn->work, turn->profile);
    return 0;
}

static int run(void *context) {
    const struct turn *turn = context;
    turn->work->operation->run(turn->work);
    return 0;
}

/* Times the algorithms that can, in turns. */
static int measure(const struct tuner *t, struct tune_work *w, const bool can[ALGORITHMS],
                   double seconds[ALGORITHMS]) {
    struct turn turns[ALGORITHMS];
    struct timing_task tasks[ALGORITHMS];
    struct timing times[ALGORITHMS];
    int count = 0;
    for (int i = 0; i < ALGORITHMS; i++) {
        seconds[i] = -1;
        if (!can[i])
            continue;
        turns[count] = (struct turn){w, &t->profile, i};
        tasks[count] = (struct timing_task){prepare, run, &turns[count], 1};
        count++;
    }
    if (count > 0 && timing_measure(tasks, count, &t->budget, times))
        return tuner_fail_memory(w->n);
    for (int k = 0; k < count; k++)
        seconds[turns[k].algorithm] = times[k].median;
    return 0;
}

static void tell(const struct tuner *t, const struct tune_point *point) {
    char name[16];
    for (int i = 0; i < ALGORITHMS && t->options.verbose; i++) {
        tuner_algorithm_name(i, name, sizeof name);
        if (point->seconds[i] < 0)
            continue;
        tuner_end_progress();
        printf("%s %s: %zu limbs: %.4f ms\n", profile_choice_names[t->choice], name, point->size,
               point->seconds[i] * 1e3);
    }
}

int tuner_time_algorithms(void *context, struct tune_point *point) {
    struct tuner *t = context;
    struct tune_work w;
    bool can[ALGORITHMS];
    const struct tune_operation *operation =
        &tune_operations[t->choice == PROFILE_MODULAR_PRODUCTS ? PROFILE_mulmod : PROFILE_mul];
    if (tuner_stops(t))
        return 1;
    tuner_show_progress(profile_choice_names[t->choice], point->size);
    if (!tune_work_open(&w, operation, point->size))
        return tuner_fail_memory(point->size);
    for (int i = 0; i < ALGORITHMS; i++)
        can[i] = (i != ALGORITHM_FFT || t->has_doubles) && product_serves(i, 2 * w.n, 2 * w.n);
    int status = check(&w, &t->profile, can);
    status = status ? status : measure(t, &w, can, point->seconds);
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
    tune_work_close(&w);
    if (status == 0)
        tell(t, point);
    return status;
}

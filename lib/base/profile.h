/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For each device: the sizes from which it is faster than GMP (thresholds), and the sizes from
 * which each algorithm is the fastest.
 *
 * A profile is a text of key:value lines: which devices it fits, and what was measured on them. The
 * user's profiles are files (option `profile`); others are built in. Each value for a device comes
 * from the first of these that sets it: the options, the user's profiles that fit, the built-in
 * ones that fit, a model of an unknown device, the initial values in profile.def. */
#ifndef MPGPU_PROFILE_H
#define MPGPU_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/gpu.h"
#include "lib/base/items.h"

enum profile_threshold {
#define THRESHOLD(name, kind, of, initial, what) PROFILE_##name,
#include "lib/base/profile.def"
#undef THRESHOLD
    PROFILE_THRESHOLDS
};

enum { PROFILE_MOST_STEPS = 16 };

/* Which algorithm (enum conf_algorithm) computes products: each step has a size in limbs, and the
 * algorithm at or above it. Sizes ascend. */
struct profile_choice {
    int steps;
    struct item_source source;
    struct profile_step {
        size_t limbs;
        int algorithm;
    } step[PROFILE_MOST_STEPS];
};

/* Algorithms are chosen by the shorter operand for products, and by n for products modulo B^n - 1
 * and B^n + 1 (B = 2^64): PROFILE_MODULAR_PRODUCTS if n is a power of two, otherwise
 * PROFILE_OTHER_MODULAR. */
enum profile_choices {
    PROFILE_PRODUCTS,
    PROFILE_MODULAR_PRODUCTS,
    PROFILE_OTHER_MODULAR,
    PROFILE_CHOICES
};
extern const char *const profile_choice_names[PROFILE_CHOICES]; /* their keys */

/* GMP's times on one thread: each step has a size in limbs and nanoseconds. Sizes ascend. */
struct profile_cost {
    int steps;
    struct item_source source;
    struct profile_cost_step {
        size_t limbs;
        uint64_t ns;
    } step[PROFILE_MOST_STEPS];
};

/* The operations whose times by GMP a profile has: products and squares of n limbs, quotients of 2n
 * by n limbs. */
enum profile_costs { PROFILE_GMP_MUL, PROFILE_GMP_SQR, PROFILE_GMP_DIV, PROFILE_COSTS };
extern const char *const profile_cost_names[PROFILE_COSTS]; /* their keys */

struct profile {
    /* The profile fits devices of this backend whose name and vendor contain these texts, ignoring
     * case. `cpu` restricts it to CPUs or to other devices. "" and PROFILE_ANY fit all. */
    char backend[16], device[128], vendor[64];
    enum { PROFILE_ANY, PROFILE_NO_CPU, PROFILE_CPU } cpu;
    /* Thresholds in limbs, or in tenths of another threshold (lib/base/profile.def). MPGPU_NEVER is
     * possible; MPGPU_UNSET leaves the value to other profiles. */
    size_t value[PROFILE_THRESHOLDS];
    struct item_source source[PROFILE_THRESHOLDS];
    struct profile_choice choice[PROFILE_CHOICES];
    struct profile_cost cost[PROFILE_COSTS];
};

/* Clears *p: it sets nothing and fits all devices. */
void profile_clear(struct profile *p);

/* Parses a text into *p, which profile_clear must have cleared, and overwrites the text. `name`
 * must stay valid. Warns of an invalid line and ignores it. Returns the count of warnings. */
int profile_parse(char *text, const char *name, struct profile *p);

/* Writes the text from which profile_parse reads the same profile. */
void profile_write(FILE *file, const struct profile *p);

/* Prints every value that is set and its source, one per line, as conf_print does. */
void profile_print(const struct profile *p, void (*line)(const char *format, ...));

/* Returns a threshold in limbs. If its kind is TIMES, multiplies the threshold that it depends on,
 * and rounds up. */
size_t profile_limbs(const struct profile *p, enum profile_threshold which);

/* Sets the thresholds of composite operations to never. The products inside them may still be sent
 * to the device. */
void profile_keep_to_products(struct profile *p);

/* Returns the algorithm for products of this many limbs, or ALGORITHM_AUTO. If the profile sets no
 * algorithm for this kind of products, the kind before it in enum profile_choices applies. */
int profile_algorithm(const struct profile *p, enum profile_choices which, size_t limbs);

/* Returns GMP's nanoseconds for a product or square of n = `limbs` limbs, a quotient of 2n by n
 * limbs, or a product modulo B^n - 1 (B = 2^64). Between two measured sizes, the time is a power of
 * the size; beyond them, a power with an exponent from 1 to 2. Returns 0 if no time was measured,
 * and for other kinds. Takes about 0.3 us, without floating point. */
uint64_t profile_gmp_ns(const struct profile *p, enum profile_threshold kind, size_t limbs);

/* Reads the user's profiles. Call it once, after reading the options, before the functions below.
 */
void profile_load(void);

/* Sets *p to the values that apply to a device. */
void profile_choose(const char *backend, const struct gpu_caps *caps, struct profile *p);

/* Sets *p to the smallest values of any device, or of any CPU if cpus_alone is set. They apply
 * before the device is known. */
void profile_smallest(int cpus_alone, struct profile *p);

/* Returns true if an option, or one of the user's profiles, sets a threshold for CPUs other than
 * `never`. Call it after profile_load. */
bool profile_is_given(void);

/* Returns true if the profile sends no call to its device. */
bool profile_is_never(const struct profile *p);

/* Writes the path of a device's profile in `folder`. Returns false if `size` is too short. */
bool profile_path(const char *folder, const char *backend, const struct gpu_caps *caps, char *path,
                  size_t size);

/* Estimates thresholds from the properties of a device that no profile fits
 * (lib/base/profile_model.c). */
void profile_model(const char *backend, const struct gpu_caps *caps, struct profile *p);

/* The built-in profiles, generated from lib/base/profiles/; the last has no name. */
struct profile_text {
    const char *name, *text;
};
extern const struct profile_text profile_texts[];

/* The least value of each threshold in profile_texts: for all devices, and for CPU devices alone.
 * MPGPU_UNSET if no profile sets the threshold. */
extern const size_t profile_texts_least[2][PROFILE_THRESHOLDS];

#endif

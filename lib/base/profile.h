/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From which size on what is faster: thresholds and algorithms by device.
 *
 * A profile is a text of key:value lines: which devices it fits, and what was measured there.  The
 * user's profiles are files (option `profile`); others are built in.  Each value for a device comes
 * from the first of these that sets it: the options, the user's profiles that fit, the built-in
 * ones that fit, a model of an unknown device. */
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

/* From `limbs` on, an algorithm (enum conf_algorithm); ascending. */
struct profile_choice {
    int steps;
    struct item_source source;
    struct profile_step {
        size_t limbs;
        int algorithm;
    } step[PROFILE_MOST_STEPS];
};

/* Algorithms are chosen for products by the shorter operand, and for products modulo B^n - 1 and
 * B^n + 1 by n. */
enum profile_choices { PROFILE_PRODUCTS, PROFILE_MODULAR_PRODUCTS, PROFILE_CHOICES };
extern const char *const profile_choice_names[PROFILE_CHOICES]; /* their keys */

/* Nanoseconds that GMP takes on one thread of this machine; ascending by limbs. */
struct profile_cost {
    int steps;
    struct item_source source;
    struct profile_cost_step {
        size_t limbs;
        uint64_t ns;
    } step[PROFILE_MOST_STEPS];
};

/* Products and squares of n limbs, quotients of 2n by n. */
enum profile_costs { PROFILE_GMP_MUL, PROFILE_GMP_SQR, PROFILE_GMP_DIV, PROFILE_COSTS };
extern const char *const profile_cost_names[PROFILE_COSTS]; /* their keys */

struct profile {
    /* Fits devices of this backend whose name and vendor have these parts (case does not
     * count), on a CPU or not as `cpu` says; "" and 0: any. */
    char backend[16], device[128], vendor[64];
    enum { PROFILE_ANY, PROFILE_NO_CPU, PROFILE_CPU } cpu;
    /* MPGPU_NEVER; MPGPU_UNSET: left to others.  Limbs, or tenths of another, as
     * lib/base/profile.def says. */
    size_t value[PROFILE_THRESHOLDS];
    struct item_source source[PROFILE_THRESHOLDS];
    struct profile_choice choice[PROFILE_CHOICES];
    struct profile_cost cost[PROFILE_COSTS];
};

/* Sets nothing, fits all devices. */
void profile_clear(struct profile *p);

/* A text's values into *p, cleared before. `name` stays valid.  A bad line is a warning
 * and changes nothing; returns their number. */
int profile_parse(FILE *file, const char *name, struct profile *p);

/* The text that gives the same again. */
void profile_write(FILE *file, const struct profile *p);

/* Every value that is set with where it came from, a line each, as conf_print. */
void profile_print(const struct profile *p, void (*line)(const char *format, ...));

/* A threshold in limbs; of kind TIMES, multiplied out and rounded up. */
size_t profile_limbs(const struct profile *p, enum profile_threshold which);

/* From now on composite operations are GMP's, whose products inside may still be sent. */
void profile_keep_to_products(struct profile *p);

/* The algorithm for products of so many limbs; ALGORITHM_AUTO where none is set.  Where none is set
 * for modular products, that of other products. */
int profile_algorithm(const struct profile *p, enum profile_choices which, size_t limbs);

/* Nanoseconds that GMP takes for a product or square of so many limbs, a quotient of 2n by n limbs,
 * a product modulo B^n - 1: between the steps by a power of the size, beyond them with an exponent
 * from 1 to 2.  0 where no step is set, and for other kinds.  No floating point; about 0.3 us. */
uint64_t profile_gmp_ns(const struct profile *p, enum profile_threshold kind, size_t limbs);

/* Read the user's profiles.  Once, after the options, before the following. */
void profile_load(void);

/* The values for a device; all are set. */
void profile_choose(const char *backend, const struct gpu_caps *caps, struct profile *p);

/* The smallest value of any device, or of any CPU: in force before the device is known. */
void profile_smallest(int cpus_alone, struct profile *p);

/* May thresholds of a CPU come from an option or a profile of the user's?  `never` is none.  After
 * profile_load. */
bool profile_is_given(void);

/* Nothing is sent to such a device. */
bool profile_is_never(const struct profile *p);

/* The file in folder `folder` for a device's profile: its name into {path, size}; false if that is
 * too short. */
bool profile_path(const char *folder, const char *backend, const struct gpu_caps *caps, char *path,
                  size_t size);

/* An estimate for a device that no profile fits, from its properties (lib/base/profile_model.c). */
void profile_model(const char *backend, const struct gpu_caps *caps, struct profile *p);

/* The built-in profiles, made from lib/base/profiles/; the last has no name. */
struct profile_text {
    const char *name, *text;
};
extern const struct profile_text profile_texts[];

/* The least value that they have of each threshold, for all devices and for CPUs alone;
 * MPGPU_UNSET where none has one. */
extern const size_t profile_texts_least[2][PROFILE_THRESHOLDS];

#endif

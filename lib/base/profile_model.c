/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Thresholds for a device that no profile fits, from its properties. A product of n by n limbs
 * takes GMP about c n log2 n seconds on one core, where c is the constant `GMP` below.
 *
 * The device's time has three parts: for launches, for each limb that crosses the link, and for
 * each limb that a compute unit processes. These times were measured on an H200 with the default
 * check. An unknown device is assumed to be slower by the factor CAUTION than an H200 with the same
 * number of compute units. */
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/profile.h"

static const double GMP = 10e-9;
static const double CUDA_LAUNCHES = 60e-6, LAUNCHES = 200e-6; /* of a product */
static const double LINK = 32 / 6e9, UNIT = 50e-9;            /* per limb */
static const double CAUTION = 4;

/* MOST_LOG: log2 of the largest power of two tried; STEPS: sizes tried per power of two */
enum { MOST_LOG = 24, STEPS = 4 };

/* Devices with less memory than this are not used. */
static const uint64_t LEAST_MEMORY = UINT64_C(256) << 20;

static double device_time(const char *backend, const struct gpu_caps *caps, double n) {
    double launches = strcmp(backend, "cuda") == 0 ? CUDA_LAUNCHES : LAUNCHES;
    unsigned units = caps->compute_units ? caps->compute_units : 1;
    return CAUTION * (launches + n * (LINK + UNIT / units));
}

/* Returns the least size, in limbs, at which the device is expected to be faster than GMP. */
static size_t least_limbs(const char *backend, const struct gpu_caps *caps) {
    if (caps->is_cpu || caps->memory_bytes < LEAST_MEMORY)
        return MPGPU_NEVER;
    for (int log_n = 5; log_n <= MOST_LOG; log_n++)
        for (int i = 0; i < STEPS; i++) {
            size_t n = ((size_t)1 << log_n) / STEPS * (size_t)(STEPS + i);
            if (device_time(backend, caps, (double)n) <= GMP * (double)n * log_n)
                return n;
        }
    return MPGPU_NEVER;
}

static void set(struct profile *p, enum profile_threshold which, size_t limbs) {
    p->value[which] = limbs;
    p->source[which] = (struct item_source){"a guess for an unknown device", 0};
}

/* Sets *p to estimated thresholds for an unknown device. GMP's square takes two thirds of a
 * product's time; a product modulo B^n - 1 takes half the time of a whole one. Sums of operands
 * in host memory gain nothing. Thresholds of batches are left to mpgpu-tune. */
void profile_model(const char *backend, const struct gpu_caps *caps, struct profile *p) {
    size_t limbs = least_limbs(backend, caps);
    profile_clear(p);
    set(p, PROFILE_mul, limbs);
    set(p, PROFILE_sqr, limbs == MPGPU_NEVER ? limbs : limbs + limbs / 4);
    set(p, PROFILE_mulmod, limbs == MPGPU_NEVER ? limbs : 2 * limbs);
    set(p, PROFILE_add, MPGPU_NEVER);
    set(p, PROFILE_batch, MPGPU_NEVER);
}

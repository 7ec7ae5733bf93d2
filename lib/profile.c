/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Built-in profiles: the sizes from which on a device is faster than GMP on one
 * core, from host memory to host memory. */
#include "profile.h"

#include <string.h>

#include "conf.h"

enum profile_kind { ON_ANY, ON_GPU, ON_CPU };

struct profile {
    const char *backend; /* "" any */
    enum profile_kind kind;
    const char *name; /* a part of the device's name, "" any */
    struct thresholds sizes;
};

/* The first that fits counts; the last one fits all.  The H200's were measured on
 * 2026-11-21 (README.md: products beside GMP 6.3; pi to 10^7 digits with thresholds
 * from 600 to 8000), the others are cautious.  A CPU under OpenCL is no
 * gain over GMP on the same cores.  mulmod's are twice mul's, since GMP's time modulo
 * B^n - 1 is that of a product of n/2 by n/2 limbs.  An addition of operands that lie
 * in host memory never is a gain. */
static const struct profile profiles[] = {
    {"cuda", ON_GPU, "H200", {800, 1000, 1600, MPGPU_NEVER}},
    {"opencl", ON_GPU, "H200", {1000, 1200, 2000, MPGPU_NEVER}},
    {"cuda", ON_GPU, "", {2000, 2500, 4000, MPGPU_NEVER}},
    {"opencl", ON_GPU, "", {4000, 5000, 8000, MPGPU_NEVER}},
    {"opencl", ON_CPU, "", {MPGPU_NEVER, MPGPU_NEVER, MPGPU_NEVER, MPGPU_NEVER}},
    {"", ON_ANY, "", {20000, 20000, 40000, MPGPU_NEVER}},
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

static int fits(const struct profile *p, const char *backend, const struct gpu_caps *caps) {
    return (!*p->backend || strcmp(p->backend, backend) == 0) &&
           (p->kind == ON_ANY || (p->kind == ON_CPU) == (caps->is_cpu != 0)) &&
           strstr(caps->name, p->name) != NULL;
}

void profile_thresholds(const char *backend, const struct gpu_caps *caps, struct thresholds *t) {
    const struct profile *p = profiles;
    while (!fits(p, backend, caps))
        p++;
    *t = p->sizes;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

void profile_smallest(struct thresholds *t) {
    *t = profiles[0].sizes;
    for (int i = 1; i < PROFILES; i++) {
        t->mul = smaller(t->mul, profiles[i].sizes.mul);
        t->sqr = smaller(t->sqr, profiles[i].sizes.sqr);
        t->mulmod = smaller(t->mulmod, profiles[i].sizes.mulmod);
        t->add = smaller(t->add, profiles[i].sizes.add);
    }
}

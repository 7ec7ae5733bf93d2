/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The floating-point environment: what a thread of the program has of it (flags, traps, rounding)
 * is put aside round our work, which has the default one.  Inline where <fenv.h> would have every
 * program load libm; 40 ns on x86-64. */
#ifndef MPGPU_FLOATING_H
#define MPGPU_FLOATING_H

#include <stdint.h>

#if defined __x86_64__
struct floating {
    uint32_t x87[7], sse;
};

static inline void floating_default(void) {
    const uint16_t control = 0x37f;
    const uint32_t sse = 0x1f80;
    __asm__ volatile("fnclex\n\tfldcw %0\n\tldmxcsr %1" : : "m"(control), "m"(sse) : "memory");
}

static inline void floating_begin(struct floating *f) {
    __asm__ volatile("fnstenv %0\n\tstmxcsr %1" : "=m"(f->x87), "=m"(f->sse) : : "memory");
    floating_default();
}

static inline void floating_end(const struct floating *f) {
    __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(f->x87), "m"(f->sse) : "memory");
}
#elif defined __aarch64__
struct floating {
    uint64_t control, status;
};

static inline void floating_set(uint64_t control, uint64_t status) {
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control), "r"(status) : "memory");
}

static inline void floating_default(void) {
    floating_set(0, 0);
}

static inline void floating_begin(struct floating *f) {
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(f->control), "=r"(f->status)
                     :
                     : "memory");
    floating_default();
}

static inline void floating_end(const struct floating *f) {
    floating_set(f->control, f->status);
}
#else
#include <fenv.h>

struct floating {
    fenv_t all;
};

static inline void floating_default(void) {
    fesetenv(FE_DFL_ENV);
}

static inline void floating_begin(struct floating *f) {
    fegetenv(&f->all);
    floating_default();
}

static inline void floating_end(const struct floating *f) {
    fesetenv(&f->all);
}
#endif

#endif

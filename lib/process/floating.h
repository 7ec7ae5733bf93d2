/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Saves a thread's floating-point environment (flags, traps, rounding) before this library's work,
 * sets the default one, and restores the saved one afterwards. The functions are inline, because
 * <fenv.h> would make every program load libm. */
#ifndef MPGPU_FLOATING_H
#define MPGPU_FLOATING_H

#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__
enum { FLOATING_X87 = 0x37f, FLOATING_X87_FLAGS = 0xff, FLOATING_SSE = 0x1f80 };

/* A saved environment. The x87 part is saved only if it differs from the default, because saving it
 * takes 100 ns. */
struct floating {
    uint32_t sse, x87[7];
    bool is_x87_kept;
};

static inline uint32_t floating_sse(void) {
    uint32_t sse;
    __asm__ volatile("stmxcsr %0" : "=m"(sse) : : "memory");
    return sse;
}

static inline void floating_set_sse(uint32_t sse) {
    if (floating_sse() != sse)
        __asm__ volatile("ldmxcsr %0" : : "m"(sse) : "memory");
}

static inline bool floating_x87_is_default(void) {
    uint16_t control, status;
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control), "=m"(status) : : "memory");
    return control == FLOATING_X87 && !(status & FLOATING_X87_FLAGS);
}

static inline void floating_default(void) {
    const uint16_t control = FLOATING_X87;
    if (!floating_x87_is_default())
        __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(control) : "memory");
    floating_set_sse(FLOATING_SSE);
}

static inline void floating_begin(struct floating *f) {
    f->sse = floating_sse();
    f->is_x87_kept = !floating_x87_is_default();
    if (f->is_x87_kept)
        __asm__ volatile("fnstenv %0" : "=m"(f->x87) : : "memory");
    floating_default();
}

static inline void floating_end(const struct floating *f) {
    if (f->is_x87_kept)
        __asm__ volatile("fldenv %0" : : "m"(f->x87) : "memory");
    else if (!floating_x87_is_default())
        floating_default();
    floating_set_sse(f->sse);
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

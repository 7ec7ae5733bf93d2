/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The batch calls of include/mpgpu.h, of a library that is opened at run time: mpgpu-bench itself
 * is not linked with it, so that GMP's functions are GMP's here. */
#ifndef MPGPU_BENCH_ARRAYS_LIBRARY_H
#define MPGPU_BENCH_ARRAYS_LIBRARY_H

#include <stdbool.h>

#include "include/mpgpu.h"

#define BENCH_ARRAYS_FUNCTIONS(f)                                                                  \
    f(wait) f(error) f(batch_create) f(batch_destroy) f(batch_on_device) f(batch_set_mpz)          \
        f(batch_get_mpz) f(batch_add) f(batch_mul) f(batch_mullo) f(batch_sqr) f(batch_gcd)        \
            f(batch_tdiv_qr) f(batch_modulus_create) f(batch_modulus_destroy) f(batch_mod_mul)     \
                f(batch_mod_sqr) f(batch_mod_pow) f(batch_mod_pow_sec) f(batch_mod_invert)

struct bench_arrays_library {
#define MEMBER(name) __typeof__(mpgpu_##name) *name;
    BENCH_ARRAYS_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Opens it for good, with these options after those of MPGPU_CONF, and waits for its device; false
 * after a message.  A NULL path is the library beside this program, or the installed one. */
bool bench_arrays_library_open(struct bench_arrays_library *lib, const char *path,
                               const char *conf);

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What is built ahead where programs are built at run time.  Those of selftest_all stand first, the
 * longest builds at their head: with them the last helper ends sooner. */
#include "lib/selftest/expected.h"

#include "gpu/gpu.h"

/* Of selftest_all. */
#define FIRST                                                                                      \
    GPU_PROGRAM_contiguous_8, GPU_PROGRAM_strided_5, GPU_PROGRAM_small, GPU_PROGRAM_carry,         \
        GPU_PROGRAM_addsub, GPU_PROGRAM_crt, GPU_PROGRAM_residue

/* Of the largest products, and of the checks and steps of composite operations.  Conversions take a
 * CPU longer to build than they gain. */
#define LARGE                                                                                      \
    GPU_PROGRAM_contiguous_12, GPU_PROGRAM_strided_6, GPU_PROGRAM_join, GPU_PROGRAM_window,        \
        GPU_PROGRAM_equation, GPU_PROGRAM_mul_1, GPU_PROGRAM_wraparound

/* Of what CPUs are not sent: small products in one launch, and those others. */
#define OF_GPUS                                                                                    \
    GPU_PROGRAM_small_ntt_8, GPU_PROGRAM_small_ntt_9, GPU_PROGRAM_small_ntt_10,                    \
        GPU_PROGRAM_small_ntt_11, GPU_PROGRAM_small_ntt_12, GPU_PROGRAM_small_ntt_13,              \
        GPU_PROGRAM_small_ntt_14, GPU_PROGRAM_strided_7, GPU_PROGRAM_strided_8,                    \
        GPU_PROGRAM_radix_text, GPU_PROGRAM_radix_leaf, GPU_PROGRAM_radix_level

/* Of all lengths of transforms from a CPU's built-in thresholds on. */
#define OF_CPUS                                                                                    \
    GPU_PROGRAM_strided_7, GPU_PROGRAM_strided_8, GPU_PROGRAM_strided_9, GPU_PROGRAM_strided_10

#define COUNT(...) (sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

static const uint16_t of_gpus[] = {FIRST, OF_GPUS, LARGE}, of_cpus[] = {FIRST, LARGE, OF_CPUS};

void expected_tell(void) {
    gpu_expect(false, COUNT(FIRST), COUNT(FIRST, OF_GPUS, LARGE), of_gpus);
    gpu_expect(true, COUNT(FIRST), COUNT(FIRST, LARGE, OF_CPUS), of_cpus);
}

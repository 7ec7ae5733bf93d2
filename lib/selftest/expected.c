/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The programs that are built ahead, if programs are built at run time.  Those of selftest_all are
 * first, the longest builds before the others: so the last helper ends earlier. */
#include "lib/selftest/expected.h"

#include "gpu/gpu.h"

/* For selftest_all. */
#define FIRST                                                                                      \
    GPU_PROGRAM_contiguous_8, GPU_PROGRAM_strided_5, GPU_PROGRAM_small, GPU_PROGRAM_carry,         \
        GPU_PROGRAM_addsub, GPU_PROGRAM_crt, GPU_PROGRAM_residue

/* For the largest products, and for the checks and steps of composite operations.  Conversions are
 * missing: a CPU takes longer to build them than they gain. */
#define LARGE                                                                                      \
    GPU_PROGRAM_contiguous_12, GPU_PROGRAM_strided_6, GPU_PROGRAM_join, GPU_PROGRAM_window,        \
        GPU_PROGRAM_equation, GPU_PROGRAM_mul_1, GPU_PROGRAM_wraparound

/* For operations that CPUs do not get: small products in one launch, conversions, and the like. */
#define OF_GPUS                                                                                    \
    GPU_PROGRAM_small_ntt_8, GPU_PROGRAM_small_ntt_9, GPU_PROGRAM_small_ntt_10,                    \
        GPU_PROGRAM_small_ntt_11, GPU_PROGRAM_small_ntt_12, GPU_PROGRAM_small_ntt_13,              \
        GPU_PROGRAM_small_ntt_14, GPU_PROGRAM_strided_7, GPU_PROGRAM_strided_8,                    \
        GPU_PROGRAM_radix_text, GPU_PROGRAM_radix_leaf, GPU_PROGRAM_radix_level

/* For all lengths of transforms from a CPU's built-in thresholds on. */
#define OF_CPUS                                                                                    \
    GPU_PROGRAM_strided_7, GPU_PROGRAM_strided_8, GPU_PROGRAM_strided_9, GPU_PROGRAM_strided_10

#define COUNT(...) (sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

static const uint16_t of_gpus[] = {FIRST, OF_GPUS, LARGE}, of_cpus[] = {FIRST, LARGE, OF_CPUS};

void expected_tell(void) {
    gpu_expect(false, COUNT(FIRST), COUNT(FIRST, OF_GPUS, LARGE), of_gpus);
    gpu_expect(true, COUNT(FIRST), COUNT(FIRST, LARGE, OF_CPUS), of_cpus);
}

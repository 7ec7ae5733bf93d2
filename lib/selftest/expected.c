/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lists the programs of kernels that helper processes build in advance, for devices whose programs
 * are built at run time. The programs of selftest_all come first. The others follow by build time,
 * longest first, so that no helper begins a long build at the end. */
#include "lib/selftest/expected.h"

#include "gpu/gpu.h"

/* Programs of kernels that selftest_all needs. */
#define FIRST                                                                                      \
    GPU_PROGRAM_contiguous_8, GPU_PROGRAM_strided_5, GPU_PROGRAM_small, GPU_PROGRAM_carry,         \
        GPU_PROGRAM_addsub, GPU_PROGRAM_crt, GPU_PROGRAM_residue

/* Programs of kernels for the largest products, and for the checks and steps of composite
 * operations. Omits radix conversions: a CPU needs more time to build these programs than they
 * save. */
#define LARGE                                                                                      \
    GPU_PROGRAM_contiguous_12, GPU_PROGRAM_strided_6, GPU_PROGRAM_join, GPU_PROGRAM_window,        \
        GPU_PROGRAM_equation, GPU_PROGRAM_mul_1, GPU_PROGRAM_wraparound

/* Programs of kernels that only GPUs need: for small products in one launch, for radix conversions,
 * and for other operations that CPU devices do not compute. */
#define OF_GPUS                                                                                    \
    GPU_PROGRAM_small_ntt_8, GPU_PROGRAM_small_ntt_9, GPU_PROGRAM_small_ntt_10,                    \
        GPU_PROGRAM_small_ntt_11, GPU_PROGRAM_small_ntt_12, GPU_PROGRAM_small_ntt_13,              \
        GPU_PROGRAM_small_ntt_14, GPU_PROGRAM_strided_7, GPU_PROGRAM_strided_8,                    \
        GPU_PROGRAM_radix_text, GPU_PROGRAM_radix_leaf, GPU_PROGRAM_radix_level

/* Further programs of kernels that CPU devices need: for transforms of all lengths above the
 * built-in thresholds of CPUs. */
#define OF_CPUS                                                                                    \
    GPU_PROGRAM_strided_7, GPU_PROGRAM_strided_8, GPU_PROGRAM_strided_9, GPU_PROGRAM_strided_10

#define COUNT(...) (sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

static const uint16_t of_gpus[] = {FIRST, OF_GPUS, LARGE}, of_cpus[] = {FIRST, LARGE, OF_CPUS};

void expected_tell(void) {
    gpu_expect(false, COUNT(FIRST), COUNT(FIRST, OF_GPUS, LARGE), of_gpus);
    gpu_expect(true, COUNT(FIRST), COUNT(FIRST, LARGE, OF_CPUS), of_cpus);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the program that multiplies the numbers of a batch. */
#include "lib/multiply/batch.h"

#include "lib/base/conf.h"

/* Without matrix units, numbers of more than BLOCKS_MOST_WORDS words are multiplied by transforms,
 * shorter ones by blocks (kernel batch_mul). batch_mul accepts up to BLOCKS_FULL_WORDS words for
 * whole products, and BLOCKS_LOW_WORDS words for low products. */
#define BLOCKS_MOST_WORDS 512
#define BLOCKS_FULL_WORDS (BATCH_BLOCK * BATCH_MUL_THREADS)
#define BLOCKS_LOW_WORDS (2 * BLOCKS_FULL_WORDS)
/* Matrix units multiply numbers of MATRIX_LEAST_LOW_WORDS (low products) or MATRIX_LEAST_FULL_WORDS
 * (whole products) to MATRIX_MOST_WORDS words, because an H200 is faster with them. */
#define MATRIX_LEAST_LOW_WORDS 52
#define MATRIX_LEAST_FULL_WORDS 42
#define MATRIX_MOST_WORDS 1024
/* For numbers of WIDE_LEAST_WORDS to WIDE_MOST_WORDS words, matrix units use a whole work-group for
 * each number, if the device can (matrix_groups). */
#define WIDE_LEAST_WORDS 513
#define WIDE_MOST_WORDS 4096
_Static_assert(BLOCKS_MOST_WORDS <= BLOCKS_FULL_WORDS, "no length is left out");

unsigned batch_log(uint32_t words) {
    unsigned log_n = BATCH_MIN_LOG;
    while (words > 1u << log_n)
        log_n++;
    return log_n;
}

static uint32_t most_of_blocks(int in_full) {
    switch (conf_job().algorithm) {
    case ALGORITHM_NTT:
        return 0;
    case ALGORITHM_BLOCK:
        return in_full ? BLOCKS_FULL_WORDS : BLOCKS_LOW_WORDS;
    default:
        return BLOCKS_MOST_WORDS;
    }
}

/* Returns true if matrix units should multiply numbers of this length, because they are faster. */
static bool suits_matrices(const struct gpu_caps *caps, uint32_t words, bool in_full) {
    return caps->matrix_units && conf_job().algorithm == ALGORITHM_AUTO &&
           words >= (in_full ? MATRIX_LEAST_FULL_WORDS : MATRIX_LEAST_LOW_WORDS) &&
           words <= (caps->matrix_groups ? WIDE_MOST_WORDS : MATRIX_MOST_WORDS);
}

/* The programs batch_matrix_* are in the order of the longest numbers that they accept, and each
 * accepts numbers twice as long as the previous one. */
_Static_assert(MATRIX_MOST_WORDS == BATCH_SHORT_WORDS << (GPU_PROGRAM_batch_matrix_1024 -
                                                          GPU_PROGRAM_batch_matrix_64),
               "one after the other");

/* The most words of numbers that the programs with a work-group for each number accept, in the
 * order of these programs. */
static const uint16_t wide_words[] = {1024, 1536, 2048, 3072, WIDE_MOST_WORDS};
_Static_assert(sizeof wide_words / sizeof *wide_words ==
                   GPU_PROGRAM_batch_wide_4096 - GPU_PROGRAM_batch_wide_1024 + 1,
               "one after the other");

unsigned batch_matrix_words(enum gpu_program program) {
    return batch_is_wide(program)
               ? wide_words[program - GPU_PROGRAM_batch_wide_1024]
               : (unsigned)BATCH_SHORT_WORDS << (program - GPU_PROGRAM_batch_matrix_64);
}

static enum gpu_program matrix_program(const struct gpu_caps *caps, uint32_t words) {
    unsigned program = caps->matrix_groups && words >= WIDE_LEAST_WORDS
                           ? GPU_PROGRAM_batch_wide_1024
                           : GPU_PROGRAM_batch_matrix_64;
    while (words > batch_matrix_words((enum gpu_program)program))
        program++;
    return (enum gpu_program)program;
}

enum gpu_program batch_program(const struct gpu_caps *caps, uint32_t words, uint32_t result_words) {
    if (suits_matrices(caps, words, result_words > words))
        return matrix_program(caps, words);
    if (words <= most_of_blocks(result_words > words))
        return GPU_PROGRAM_batch_mul;
    return (enum gpu_program)(GPU_PROGRAM_batch_ntt_10 + (batch_log(words) - BATCH_MIN_LOG));
}

uint32_t batch_program_words(const struct gpu_caps *caps, enum gpu_program program) {
    enum { BLOCKS_WORDS = 130, FEW_WORDS = 24, LESS = 6 };
    if (program == GPU_PROGRAM_batch_mul)
        return suits_matrices(caps, BLOCKS_WORDS, true) ? FEW_WORDS : BLOCKS_WORDS;
    if (batch_is_matrices(program))
        return batch_matrix_words(program) - LESS;
    return (1u << (BATCH_MIN_LOG + (program - GPU_PROGRAM_batch_ntt_10))) - LESS;
}

bool batch_is_transform(enum gpu_program program) {
    return program >= GPU_PROGRAM_batch_ntt_10 && program <= GPU_PROGRAM_batch_ntt_13;
}

bool batch_is_matrices(enum gpu_program program) {
    return program >= GPU_PROGRAM_batch_matrix_64 && program <= GPU_PROGRAM_batch_wide_4096;
}

bool batch_is_wide(enum gpu_program program) {
    return program >= GPU_PROGRAM_batch_wide_1024 && program <= GPU_PROGRAM_batch_wide_4096;
}

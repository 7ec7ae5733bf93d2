/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA's machine code made fit for OpenCL: the build's own, and what is no such thing. */
#include <stdlib.h>
#include <string.h>

#include "gpu/opencl_cubin/cubin.h"
#include "gpu/images.h"
#include "tests/support/testing.h"

static const unsigned char *fatbin_of(enum gpu_program program) {
    const unsigned char *head = gpu_images();
    ck_assert_msg(head, "%s", gpu_error_text());
    return head + gpu_fatbins[program].place;
}

static struct cubin find(enum gpu_program program, unsigned major, unsigned minor) {
    return cubin_find(fatbin_of(program), gpu_images_size - gpu_fatbins[program].place, major,
                      minor);
}

/* A copy, to be freed; false where there is no fatbin. */
static bool copy_of(enum gpu_program program, unsigned major, unsigned char **copy, size_t *size) {
    if (!*gpu_fatbins[program].name)
        return false;
    struct cubin cubin = find(program, major, 0);
    ck_assert_ptr_nonnull(cubin.at);
    *size = cubin.size;
    *copy = malloc(cubin.size);
    memcpy(*copy, cubin.at, cubin.size);
    return true;
}

/* Bytes that differ. */
static size_t changes(const unsigned char *copy, const unsigned char *from, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += copy[i] != from[i];
    return count;
}

static size_t pointers(enum gpu_program program) {
    size_t count = 0;
    for (int id = 0; id < GPU_KERNELS; id++)
        for (const char *c = gpu_kernel_heads[id].takes; *c; c++)
            count += gpu_kernel_heads[id].program == program && *c == 'm';
    return count;
}

/* KERNEL_CLUSTER and KERNEL_EXACT (kernels/common/platform.h), which is a cluster of one group. */
static bool is_clustered(enum gpu_program program) {
    return (program >= GPU_PROGRAM_small_ntt_8 && program <= GPU_PROGRAM_small_ntt_14) ||
           (program >= GPU_PROGRAM_batch_matrix_512 && program <= GPU_PROGRAM_batch_matrix_1024);
}

/* Programs of compute capability 9.0 alone (kernels/compile-fatbin.sh). */
static bool is_of_9(enum gpu_program program) {
    return program >= GPU_PROGRAM_batch_wide_1024 && program <= GPU_PROGRAM_batch_wide_4096;
}

/* Two bytes of each pointer's flags change, and nothing else. */
START_TEST(marked) {
    unsigned char *copy;
    size_t size;
    for (int major = is_of_9((enum gpu_program)_i) ? 9 : 8; major <= 9; major++) {
        if (!copy_of((enum gpu_program)_i, (unsigned)major, &copy, &size)) {
            testing_skip("built without CUDA");
            return;
        }
        struct cubin cubin = find((enum gpu_program)_i, (unsigned)major, 0);
        bool is_marked = cubin_mark(copy, size, (enum gpu_program)_i);
        ck_assert_int_eq(is_marked, !is_clustered((enum gpu_program)_i) || major == 8);
        if (is_marked)
            ck_assert_uint_eq(changes(copy, cubin.at, size), 2 * pointers((enum gpu_program)_i));
        free(copy);
    }
}
END_TEST

/* What can't be marked for 9.0 has another cubin for it, which can. */
START_TEST(without_clusters) {
    const enum gpu_program program = (enum gpu_program)_i;
    const struct gpu_fatbin *fatbin = &gpu_fatbins[program];
    if (!*fatbin->name) {
        testing_skip("built without CUDA");
        return;
    }
    ck_assert_int_eq(fatbin->apart_size > 0, is_clustered(program));
    if (fatbin->apart_size == 0)
        return;
    unsigned char *copy = malloc(fatbin->apart_size);
    memcpy(copy, gpu_images() + fatbin->apart, fatbin->apart_size);
    ck_assert(cubin_mark(copy, fatbin->apart_size, program));
    free(copy);
}
END_TEST

START_TEST(capabilities) {
    const enum gpu_program program = GPU_PROGRAM_carry;
    if (!*gpu_fatbins[program].name) {
        testing_skip("built without CUDA");
        return;
    }
    ck_assert_ptr_nonnull(find(program, 8, 0).at);
    ck_assert_ptr_eq(find(program, 8, 9).at, find(program, 8, 0).at);
    ck_assert_ptr_nonnull(find(program, 9, 0).at);
    ck_assert_ptr_ne(find(program, 9, 0).at, find(program, 8, 0).at);
    ck_assert_ptr_null(find(program, 7, 5).at);
    ck_assert_ptr_null(find(program, 10, 0).at);
    ck_assert_ptr_null(cubin_find(fatbin_of(program), 15, 9, 0).at);
    ck_assert_ptr_null(cubin_find(fatbin_of(program), 1000, 9, 0).at);
    ck_assert_ptr_null(cubin_find(fatbin_of(program) + 1, 100000, 9, 0).at);
}
END_TEST

/* Of another program, cut off, or with random bytes: refused, or marked somehow, in its bounds. */
START_TEST(strange) {
    const enum gpu_program program = GPU_PROGRAM_carry;
    unsigned char *copy;
    size_t size;
    if (!copy_of(program, 9, &copy, &size)) {
        testing_skip("built without CUDA");
        return;
    }
    ck_assert(!cubin_mark(copy, size, GPU_PROGRAM_addsub));
    ck_assert(!cubin_mark(copy, size / 2, program));
    ck_assert(!cubin_mark(copy, 10, program));
    for (int i = 0; i < 20000; i++) {
        unsigned char *bad = malloc(size);
        memcpy(bad, find(program, 9, 0).at, size);
        for (int k = 0; k < 3; k++) {
            size_t at = testing_below(size);
            at = i % 2 ? at : at % 4096;
            bad[at] = (unsigned char)testing_below(256);
        }
        cubin_mark(bad, size, program);
        free(bad);
    }
    free(copy);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cubin");
    TCase *all = tcase_create("cubin");
    tcase_add_loop_test(all, marked, 0, GPU_PROGRAMS);
    tcase_add_loop_test(all, without_clusters, 0, GPU_PROGRAMS);
    tcase_add_test(all, capabilities);
    tcase_add_test(all, strange);
    suite_add_tcase(suite, all);
    return testing_run(suite);
}

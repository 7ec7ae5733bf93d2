/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compiles kernels as host C: defines those macros and functions of kernels/common/platform.h
 * that host C lacks, for work-items that run on the host (host_group.h). It is included before a
 * kernel file. HOST_CLUSTER selects the form for GPUs whose groups can wait for one another.
 * HOST_ENTRIES keeps the kernels' declarations readable for host_program.sh. */
#ifndef MPGPU_TEST_HOST_KERNEL_H
#define MPGPU_TEST_HOST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* A kernel: its work-items per group, its number of arguments, and a function that calls it.
 * `cluster` is how many groups must run at the same time, or 0. */
struct host_kernel {
    const char *name;
    unsigned threads, cluster, nargs;
    void (*call)(const struct gpu_arg *args);
};

/* Return the index of the running work-item and of its group, and the number of groups along x.
 * They are constant during one call of a kernel, hence the attribute. */
uint32_t host_item(void) __attribute__((const));
uint32_t host_group_x(void) __attribute__((const));
uint32_t host_group_y(void) __attribute__((const));
uint32_t host_groups_x(void) __attribute__((const));

/* Barriers: return when all work-items of the group, or of all groups, have called them. */
void host_barrier(void);
void host_barrier_cluster(void);
/* host_exchange returns the values x of all 32 work-items of the row; they are valid until the
 * caller's next wait. host_ballot returns a mask: bit i is set if work-item i passes a value
 * other than 0. */
const uint32_t *host_exchange(uint32_t x);
uint32_t host_ballot(uint32_t x);
/* Emulate instructions for matrices.
 *
 * - host_multiply: matrix_multiply_add (kernels/common/matrix.h).
 * - host_multiply_columns: group_multiply_add_32 (kernels/common/matrix_group.h). The columns of
 *   the right matrix have their first halves at `columns`, and their second halves `half` words
 *   behind.
 * - host_multiply_lines: group_multiply_256. Both matrices are stored in lines of 128 bytes. Bytes
 *   32 a_step to 32 a_step + 31 of the lines a are multiplied by bytes 32 b_step to 32 b_step + 31
 *   of the lines b. */
void host_multiply(uint32_t *d, const uint32_t *a, const uint32_t *b);
void host_multiply_columns(uint32_t *d, const uint32_t *a, const uint32_t *columns, uint32_t half);
void host_multiply_lines(uint32_t *d, const uint32_t *a, uint32_t a_step, const uint32_t *b,
                         uint32_t b_step, uint32_t adds);

/* Adds x to *pointer atomically. Returns the old value. */
uint32_t host_add(uint32_t *pointer, uint32_t x);

/* Returns the work-group's local array that `key` identifies. The first work-item that asks for
 * it allocates it. */
void *host_local(const void *key, size_t bytes);

/* Return a kernel argument's value; the process ends if the argument has another type. */
void *host_memory(const struct gpu_arg *arg);
uint32_t host_u32(const struct gpu_arg *arg);
uint64_t host_u64(const struct gpu_arg *arg);

typedef struct {
    uint32_t x, y;
} __attribute__((aligned(8))) host_vector2;
typedef struct {
    uint32_t x, y, z, w;
} __attribute__((aligned(16))) host_vector4;

#if defined(HOST_ENTRIES)
#define HOST_ENTRY(threads, groups) host_entry[threads, groups]
#else
#define HOST_ENTRY(threads, groups) static void
#endif
#define KERNEL(threads) HOST_ENTRY(threads, 0)
#define KERNEL_DENSE(threads, groups) HOST_ENTRY(threads, 0)
#define KERNEL_EXACT(threads) HOST_ENTRY(threads, 0)
#if defined(HOST_CLUSTER)
#define KERNEL_CLUSTER(threads, groups) HOST_ENTRY(threads, groups)
#define BARRIER_CLUSTER() host_barrier_cluster()
#define BALLOT(x) host_ballot(x)
/* Selects the code for rows of 32 work-items that exchange words, in batch_row.h, shuffle.h,
 * matrix.h and matrix_group.h (below kernels/). */
#define HOST_ROWS
#else
#define KERNEL_CLUSTER(threads, groups) HOST_ENTRY(threads, 0)
#endif
#define LOCAL_ARRAY(type, name, count)                                                             \
    static const char name##_key;                                                                  \
    type *const name = host_local(&name##_key, sizeof(type) * (count))
#define KERNEL_LARGE(threads, bytes) KERNEL(threads)
#define LOCAL_LARGE(type, name, count) LOCAL_ARRAY(type, name, count)
#define LOCAL_BYTES (48 << 10) /* as CUDA has */
#define BARRIER() host_barrier()
#define LOCAL_ID host_item()
#define GROUP_X host_group_x()
#define GROUP_Y host_group_y()
#define GROUPS_X host_groups_x()
#define LEADING_ZEROS32(a) ((u32)__builtin_clz(a))
#define VECTOR2 host_vector2
#define VECTOR4 host_vector4
#define MAKE2(a, b) ((host_vector2){(a), (b)})
#define MAKE4(a, b, c, d) ((host_vector4){(a), (b), (c), (d)})
#define ATOMIC_INCREMENT(pointer) host_add(pointer, 1)
#define ATOMIC_ADD(pointer, x) ((void)host_add(pointer, x))
#define FENCE_DEVICE() ((void)0)
#define FENCE_HOST() ((void)0)

#endif

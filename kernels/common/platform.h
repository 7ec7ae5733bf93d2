/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Common names for features that OpenCL C, CUDA C++ and host C name differently. Headers with
 * arithmetic use only names that host C has, too, so that tests can compile these headers for the
 * host. */
#ifndef PLATFORM_H
#define PLATFORM_H

#if defined(__OPENCL_VERSION__)

#define UNROLL _Pragma("unroll")
#define UNROLL_TWO _Pragma("unroll 2")
#define ROLLED _Pragma("unroll 1")
typedef uint u32;
typedef ulong u64;
typedef int s32;
typedef long s64;
#define FN static
#define NOINLINE static __attribute__((noinline))
#define KERNEL(threads) __kernel __attribute__((reqd_work_group_size(threads, 1, 1))) void
#define KERNEL_DENSE(threads, groups) KERNEL(threads)
#define KERNEL_EXACT(threads) KERNEL(threads)
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARRAY(type, name, count) __local type name[count] __attribute__((aligned(16)))
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BARRIER_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define LOCAL_ID ((u32)get_local_id(0))
#define GROUP_X ((u32)get_group_id(0))
#define GROUP_Y ((u32)get_group_id(1))
#define GROUPS_X ((u32)get_num_groups(0))
#define MULHI32(a, b) mul_hi((u32)(a), (u32)(b))
/* On CPUs, PoCL's mul_hi computes four products of words. One 128-bit product replaces them. */
#if defined(WIDE_MULTIPLY) && defined(__SIZEOF_INT128__)
#define MULHI64(a, b) ((u64)(((unsigned __int128)(a) * (b)) >> 64))
#else
#define MULHI64(a, b) mul_hi((u64)(a), (u64)(b))
#endif
#define MIN32(a, b) min((u32)(a), (u32)(b))
#define LEADING_ZEROS32(a) clz((u32)(a))
#define VECTOR2 uint2
#define VECTOR4 uint4
#define MAKE2(a, b) ((uint2)((a), (b)))
#define MAKE4(a, b, c, d) ((uint4)((a), (b), (c), (d)))
#define KERNEL_CLUSTER(threads, groups) KERNEL(threads)
#define ATOMIC_INCREMENT(pointer) atomic_inc((volatile __global u32 *)(pointer))
#define ATOMIC_ADD(pointer, x) ((void)atomic_add((volatile __global u32 *)(pointer), x))
#if defined(__NV_CL_C_VERSION) /* NVIDIA's mem_fence orders memory only inside the work-group */
#define FENCE_DEVICE() __asm volatile("membar.gl;" ::: "memory")
#else
#define FENCE_DEVICE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
/* OpenCL has no fence for the host. It needs none: the host reads results only after the kernel has
 * ended. */
#define FENCE_HOST() FENCE_DEVICE()

#elif defined(__CUDACC__)

#define UNROLL _Pragma("unroll")
#define UNROLL_TWO _Pragma("unroll 2")
#define ROLLED _Pragma("unroll 1")
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;
#define FN static __device__ __forceinline__
// Not static, because nvcc would put a hash of the source folder into the symbol.
#define NOINLINE inline __device__ __noinline__
#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
#define KERNEL_DENSE(threads, groups) extern "C" __global__ void __launch_bounds__(threads, groups)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 13
#define KERNEL_EXACT(threads) extern "C" __global__ void __block_size__((threads, 1, 1))
#else
#define KERNEL_EXACT(threads) KERNEL(threads)
#endif
#define KERNEL_LARGE(threads, bytes) KERNEL_EXACT(threads)
#define LOCAL_LARGE(type, name, count) extern __shared__ __align__(1024) type name[]
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY(type, name, count) __shared__ __align__(16) type name[count]
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()
/* Local memory of a group in bytes; for OpenCL and host C a compiler option defines it. */
#define LOCAL_BYTES (48 << 10)
#define LOCAL_ID threadIdx.x
#define GROUP_X blockIdx.x
#define GROUP_Y blockIdx.y
#define GROUPS_X gridDim.x
#define MULHI32(a, b) __umulhi(a, b)
#define MULHI64(a, b) __umul64hi(a, b)
#define MIN32(a, b) min((u32)(a), (u32)(b))
#define LEADING_ZEROS32(a) ((u32)__clz((int)(a)))
#define VECTOR2 uint2
#define VECTOR4 uint4
#define MAKE2(a, b) make_uint2(a, b)
#define MAKE4(a, b, c, d) make_uint4(a, b, c, d)
#define ATOMIC_INCREMENT(pointer) atomicAdd((u32 *)(pointer), 1u)
#define ATOMIC_ADD(pointer, x) ((void)atomicAdd((u32 *)(pointer), x))
#define BALLOT(x) __ballot_sync(~0u, x)
#define MULTIPLY_ADD(sum, a, b)                                                                    \
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"                                                        \
        "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"                                                       \
        "addc.u32 %2, %2, 0;"                                                                      \
        : "+r"((sum)[0]), "+r"((sum)[1]), "+r"((sum)[2])                                           \
        : "r"(a), "r"(b))
#define FENCE_DEVICE() __threadfence()
#define FENCE_HOST() __threadfence_system()
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define KERNEL_CLUSTER(threads, groups) KERNEL(threads) __cluster_dims__(groups, 1, 1)
#define BARRIER_CLUSTER()                                                                          \
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory")
#define FOLLOW_LAUNCH()                                                                            \
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory")
#else
#define KERNEL_CLUSTER(threads, groups) KERNEL(threads)
#define FOLLOW_LAUNCH() (void)0
#endif

/* kernels/heads.sh only preprocesses the kernels, to list their names and parameters. */
#elif defined(KERNEL_HEADS)

#define FN
#define NOINLINE
#define UNROLL
#define UNROLL_TWO
#define ROLLED
#define GLOBAL
#define LOCAL
#define RESTRICT
#define KERNEL(threads) kernel_head[threads]
#define KERNEL_DENSE(threads, groups) KERNEL(threads)
#define KERNEL_EXACT(threads) KERNEL(threads)
#define KERNEL_CLUSTER(threads, groups) KERNEL(threads)
#define KERNEL_LARGE(threads, bytes) kernel_head[threads, bytes]
#define LOCAL_BYTES (48 << 10)

#else

#include <stdint.h>
#define UNROLL
#define UNROLL_TWO
#define ROLLED
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#define FN static inline
#define NOINLINE static
#define GLOBAL
#define LOCAL
#define RESTRICT restrict
#define MULHI32(a, b) ((u32)(((u64)(a) * (u64)(b)) >> 32))
#ifndef MULHI64 /* tests/proofs/theory.h defines MULHI64 for Frama-C, which has no __int128 */
#define MULHI64(a, b) ((u64)(((unsigned __int128)(a) * (b)) >> 64))
#endif
#define MIN32(a, b) ((a) < (b) ? (a) : (b))

#endif

/* KERNEL_CLUSTER declares a kernel whose launches have exactly `groups` groups, along x. If
 * BARRIER_CLUSTER is defined, these groups run at the same time, and BARRIER_CLUSTER() is a barrier
 * for all of them. After this barrier, each group sees everything that any of the groups wrote to
 * global memory before it. */

/* FOLLOW_LAUNCH(), for CUDA only, waits until earlier launches of the queue have ended and their
 * writes are visible. Then it allows the next launch to begin, which waits for this one in turn.
 * kernels/compile-fatbin.sh inserts it at the begin of each kernel, because gpu/cuda_kernel.c
 * launches kernels before the launch before them has ended. */

/* BARRIER_GLOBAL() is a BARRIER() that also orders the group's accesses to global memory. After it,
 * a work-item may replace a word that another work-item of the group loaded before it. In CUDA and
 * on the host, each barrier orders global memory. */
#if !defined(BARRIER_GLOBAL)
#define BARRIER_GLOBAL() BARRIER()
#endif

/* KERNEL_EXACT declares the exact number of work-items, for compilers that take the `threads` of
 * KERNEL as a maximum. Products with matrix units then take a tenth fewer registers. Transforms
 * would become a few percent slower. */

/* KERNEL_LARGE declares a kernel with one array LOCAL_LARGE, of exactly `bytes` bytes, in addition
 * to its other local arrays. LOCAL_BYTES does not limit its size. LOCAL_LARGE begins at a multiple
 * of 1024 bytes. OpenCL has neither KERNEL_LARGE nor LOCAL_LARGE. */

/* KERNEL_DENSE limits registers so that `groups` groups fit on a multiprocessor, if the compiler
 * has an option for this. */

/* BALLOT(x), if defined, returns a mask for the caller's row of 32 work-items. Bit i is set if
 * work-item i passes an x other than 0. All 32 work-items must call it. */

/* Adds a b to the number of three words at `sum`. */
#if !defined(MULTIPLY_ADD)
#define MULTIPLY_ADD(sum, a, b)                                                                    \
    do {                                                                                           \
        u64 product_ = (u64)(a) * (b), low_ = product_ + ((u64)(sum)[1] << 32 | (sum)[0]);         \
        (sum)[0] = (u32)low_, (sum)[1] = (u32)(low_ >> 32);                                        \
        (sum)[2] += (u32)(low_ < product_);                                                        \
    } while (0)
#endif

/* Load or store four words, or two, at once. The address, in memory of kind `space`, is aligned to
 * four words, or two. */
#if defined(VECTOR4)
#define LOAD4(space, a, pointer)                                                                   \
    do {                                                                                           \
        VECTOR4 four_ = *(space const VECTOR4 *)(pointer);                                         \
        (a)[0] = four_.x, (a)[1] = four_.y, (a)[2] = four_.z, (a)[3] = four_.w;                    \
    } while (0)
#define LOAD2(space, a, b, pointer)                                                                \
    do {                                                                                           \
        VECTOR2 two_ = *(space const VECTOR2 *)(pointer);                                          \
        (a) = two_.x, (b) = two_.y;                                                                \
    } while (0)
#define STORE2_TO(space, pointer, a, b) (*(space VECTOR2 *)(pointer) = MAKE2(a, b))
#define STORE4(pointer, a) STORE4_TO(GLOBAL, pointer, a)
#define STORE4_TO(space, pointer, a)                                                               \
    (*(space VECTOR4 *)(pointer) = MAKE4((a)[0], (a)[1], (a)[2], (a)[3]))
#else
#define LOAD2(space, a, b, pointer) ((a) = (pointer)[0], (b) = (pointer)[1])
#define STORE2_TO(space, pointer, a, b) ((pointer)[0] = (a), (pointer)[1] = (b))
#define LOAD4(space, a, pointer)                                                                   \
    do {                                                                                           \
        for (int i_ = 0; i_ < 4; i_++)                                                             \
            (a)[i_] = (pointer)[i_];                                                               \
    } while (0)
#endif

#endif

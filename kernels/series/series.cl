/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A series of launches in one: their groups come from a list, launch after launch, and between two
 * launches all groups of this one wait for one another.  So they have to run at the same time, as
 * nobody promises: a group that has waited for too long leaves, all others follow, and the host is
 * told.  Then nothing that was made counts.
 *
 * The kernels are those of their own files, as functions.  A group of theirs is a round of a group
 * here: GROUP_X and so on are variables of the group, and local arrays are parts of one.  OpenCL C
 * has no such variables outside of a kernel; NVIDIA's OpenCL takes the code that CUDA's compiler
 * has made of this.  CPUs have other kernels. */
#if !defined(ON_CPU) && !defined(__OPENCL_VERSION__)
#include "kernels/common/platform.h"
#include "kernels/series/series.h"

/* What a group works at, and the words of its local arrays. */
struct series_round {
    u32 x, y, groups_x, goes_on;
    GLOBAL u32 *memory[SERIES_MEMORIES];
};
#define SCRATCH_WORDS 8992
#if defined(__CUDACC__)
__shared__ struct series_round the_round;
__shared__ __align__(16) u32 the_scratch[SCRATCH_WORDS];
#define ROUND (&the_round)
#define SCRATCH the_scratch
#elif defined(LOCAL_OF_GROUP)
static const char round_key, scratch_key;
#define ROUND ((struct series_round *)LOCAL_OF_GROUP(&round_key, sizeof(struct series_round)))
#define SCRATCH ((u32 *)LOCAL_OF_GROUP(&scratch_key, SCRATCH_WORDS * sizeof(u32)))
#endif

/* Where the kernels' local arrays begin, by their names. */
#define AT_share 0
#define AT_factors 4352
#define AT_held 4896
#define AT_out 0
#define AT_flags 1024
#define AT_rows 1280
#define AT_stops 0
#define AT_sums 0

/* ---- the kernels as functions */

#pragma push_macro("KERNEL")
#pragma push_macro("KERNEL_DENSE")
#pragma push_macro("LOCAL_ARRAY")
#pragma push_macro("GROUP_X")
#pragma push_macro("GROUP_Y")
#pragma push_macro("GROUPS_X")
#undef KERNEL
#undef KERNEL_DENSE
#undef LOCAL_ARRAY
#undef GROUP_X
#undef GROUP_Y
#undef GROUPS_X
#if defined(__CUDACC__)
#define KERNEL(threads) NOINLINE void
#else
#define KERNEL(threads) FN void
#endif
#define KERNEL_DENSE(threads, groups) KERNEL(threads)
#define LOCAL_ARRAY(type, name, count) LOCAL type *const name = (LOCAL type *)(SCRATCH + AT_##name)
#define GROUP_X (ROUND->x)
#define GROUP_Y (ROUND->y)
#define GROUPS_X (ROUND->groups_x)
#define SIGNED 0
#include "kernels/check/chain.h"
#include "kernels/check/residue.h"
#include "kernels/common/carry_below.h"
#include "kernels/common/carry_settle.h"
#include "kernels/common/crt_span.h"
#include "kernels/common/powers.h"
#include "kernels/common/radix.h"
#include "kernels/common/tables.h"
#include "kernels/ntt/geometry.h"
#include "kernels/series/names.h"

#define SERIES_PROGRAM _strided_5
#define LOG_R 5
#include "kernels/ntt/strided.cl"
#include "kernels/series/forget.h"
#define SERIES_PROGRAM _strided_6
#define LOG_R 6
#include "kernels/ntt/strided.cl"
#include "kernels/series/forget.h"
#define SERIES_PROGRAM _strided_7
#define LOG_R 7
#include "kernels/ntt/strided.cl"
#include "kernels/series/forget.h"
#define SERIES_PROGRAM _strided_8
#define LOG_R 8
#include "kernels/ntt/strided.cl"
#include "kernels/series/forget.h"
#define SERIES_PROGRAM _contiguous_8
#define LOG_R 8
#include "kernels/ntt/contiguous.cl"
#include "kernels/series/forget.h"
#define SERIES_PROGRAM _contiguous_12
#define LOG_R 12
#include "kernels/ntt/contiguous.cl"
#include "kernels/series/forget.h"
#define SERIES_PROGRAM _join
#include "kernels/ntt/join.cl"
#undef SERIES_PROGRAM
#define SERIES_PROGRAM _crt
#include "kernels/ntt/crt.cl"
#undef SERIES_PROGRAM
#define SERIES_PROGRAM _carry
#include "kernels/sums/carry.cl"
#undef SERIES_PROGRAM
#define SERIES_PROGRAM _addsub
#include "kernels/sums/addsub.cl"
#undef SERIES_PROGRAM
#define SERIES_PROGRAM _window
#include "kernels/sums/window.cl"
#undef SERIES_PROGRAM
#define SERIES_PROGRAM _residue
#include "kernels/check/residue.cl"
#undef SERIES_PROGRAM
#define SERIES_PROGRAM _equation
#include "kernels/check/equation.cl"
#undef SERIES_PROGRAM

/* ---- a round */

#define W(i) (c[SERIES_FIRST + 2 * (i)])
#define L(i) (W(i) | (u64)c[SERIES_FIRST + 2 * (i) + 1] << 32)
#define M(i) (ROUND->memory[W(i)])
#define D(i) ((GLOBAL u64 *)M(i))

FN void run_group(LOCAL const u32 *c) {
    switch (c[SERIES_PHASE]) {
#define PHASE(program, kernel, takes)                                                              \
    case SERIES_##program##_##kernel:                                                              \
        kernel##_##program takes;                                                                  \
        break;
#include "kernels/series/phases.def"
#undef PHASE
    }
}

#pragma pop_macro("KERNEL")
#pragma pop_macro("KERNEL_DENSE")
#pragma pop_macro("LOCAL_ARRAY")
#pragma pop_macro("GROUP_X")
#pragma pop_macro("GROUP_Y")
#pragma pop_macro("GROUPS_X")

/* ---- the series */

/* One more has come, and what it has written is seen by who looks then. */
FN void come(GLOBAL u32 *counter) {
#if defined(__CUDACC__)
    asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(counter) : "memory");
#else
    FENCE_DEVICE();
    ATOMIC_INCREMENT(counter);
#endif
}

FN u32 look(GLOBAL const u32 *counter) {
#if defined(__CUDACC__)
    u32 x;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(x) : "l"(counter) : "memory");
    return x;
#elif defined(ATOMIC_LOOK)
    return ATOMIC_LOOK(counter);
#endif
}

/* Whether all groups have come here, for the time number `time`, from 1 on; else this one is to
 * leave.  What they have written is seen by all then. */
FN u32 all_come(GLOBAL u32 *head, u32 time, GLOBAL u32 *told) {
    BARRIER();
    if (LOCAL_ID == 0) {
        u32 looks = 0, here = 0;
        come(head + SERIES_CAME);
        while (!here && looks < SERIES_LOOKS) {
            here = look(head + SERIES_CAME) >= time * GROUPS_X;
            if (++looks % SERIES_SELDOM == 0 && look(head + SERIES_LEFT))
                looks = SERIES_LOOKS;
        }
        if (!here && ATOMIC_INCREMENT(head + SERIES_LEFT) == 0)
            *told = 1; /* by the first that leaves */
        ROUND->goes_on = here;
    }
    BARRIER();
    return ROUND->goes_on;
}

/* The groups of one launch that are this one's. */
FN void run_launch(LOCAL const u32 *c) {
    u32 groups_x = c[SERIES_GROUPS_X], groups = groups_x * c[SERIES_GROUPS_Y];
    for (u32 group = GROUP_X; group < groups; group += GROUPS_X) {
        BARRIER(); /* the group before is done with what lies in local memory */
        if (LOCAL_ID == 0) {
            ROUND->x = group % groups_x;
            ROUND->y = group / groups_x;
            ROUND->groups_x = groups_x;
        }
        BARRIER();
        run_group(c);
    }
}

/* `count` commands of the block at commands[commands_at].  told[told_at] becomes 1 where a group
 * has left. */
KERNEL_DENSE(SERIES_THREADS, 2)
series(GLOBAL u32 *commands, u64 commands_at, u32 count, GLOBAL u32 *told, u64 told_at,
       GLOBAL u32 *m0, GLOBAL u32 *m1, GLOBAL u32 *m2, GLOBAL u32 *m3, GLOBAL u32 *m4,
       GLOBAL u32 *m5, GLOBAL u32 *m6, GLOBAL u32 *m7, GLOBAL u32 *m8, GLOBAL u32 *m9,
       GLOBAL u32 *m10, GLOBAL u32 *m11) {
    LOCAL_ARRAY(u32, list, SERIES_MOST * SERIES_COMMAND);
    GLOBAL u32 *head = commands + commands_at;
    for (u32 i = LOCAL_ID; i < count * SERIES_COMMAND; i += SERIES_THREADS)
        list[i] = head[SERIES_HEAD + i];
    if (LOCAL_ID == 0) {
        GLOBAL u32 *memory[SERIES_MEMORIES] = {m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11};
        UNROLL
        for (u32 i = 0; i < SERIES_MEMORIES; i++)
            ROUND->memory[i] = memory[i];
    }
    BARRIER();
    for (u32 i = 0; i < count; i++) {
        run_launch(list + i * SERIES_COMMAND);
        if (i + 1 < count && !all_come(head, i + 1, told + told_at))
            break;
    }
}
#else
#include "kernels/common/platform.h"
#endif

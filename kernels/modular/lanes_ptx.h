/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The instructions that lanes_team.h uses, for CUDA and NVIDIA's OpenCL. The statements are
 * volatile, so that they keep their order, and that no other code changes the carry flag between
 * them. The pair mad.lo.cc, madc.hi.cc becomes one instruction (IMAD.WIDE.U32.X). */
#ifndef LANES_PTX_H
#define LANES_PTX_H

#if defined(__CUDACC__)
#define LANES_ASM asm volatile
#else
#define LANES_ASM __asm volatile
#endif

#define LANES_INSTRUCTION_2(name, text)                                                            \
    FN u32 lane_##name(u32 a, u32 b) {                                                             \
        u32 r;                                                                                     \
        LANES_ASM(text " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                 \
        return r;                                                                                  \
    }
#define LANES_INSTRUCTION_3(name, text)                                                            \
    FN u32 lane_##name(u32 a, u32 b, u32 c) {                                                      \
        u32 r;                                                                                     \
        LANES_ASM(text " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                     \
        return r;                                                                                  \
    }
LANES_INSTRUCTION_2(add_cc, "add.cc.u32")
LANES_INSTRUCTION_2(addc_cc, "addc.cc.u32")
LANES_INSTRUCTION_2(addc, "addc.u32")
LANES_INSTRUCTION_2(sub_cc, "sub.cc.u32")
LANES_INSTRUCTION_2(subc_cc, "subc.cc.u32")
LANES_INSTRUCTION_2(subc, "subc.u32")
LANES_INSTRUCTION_3(mad_lo_cc, "mad.lo.cc.u32")
LANES_INSTRUCTION_3(madc_lo_cc, "madc.lo.cc.u32")
LANES_INSTRUCTION_3(madc_hi_cc, "madc.hi.cc.u32")
#undef LANES_INSTRUCTION_2
#undef LANES_INSTRUCTION_3

/* Returns a mask in which bit i is set if x is not 0 in work-item i of the warp. */
FN u32 warp_ballot(u32 x) {
    u32 r;
    LANES_ASM("{.reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}"
              : "=r"(r)
              : "r"(x));
    return r;
}

/* Return x of another work-item of the team: of work-item `from`, of the one below, or of the one
 * above. */
FN u32 warp_from(u32 x, u32 from) {
    u32 r;
    LANES_ASM("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;"
              : "=r"(r)
              : "r"(x), "r"(from), "n"((32 - TEAM) << 8 | 31));
    return r;
}

FN u32 warp_below(u32 x) {
    u32 r;
    LANES_ASM("shfl.sync.up.b32 %0, %1, 1, %2, 0xffffffff;"
              : "=r"(r)
              : "r"(x), "n"((32 - TEAM) << 8));
    return r;
}

FN u32 warp_above(u32 x) {
    u32 r;
    LANES_ASM("shfl.sync.down.b32 %0, %1, 1, %2, 0xffffffff;"
              : "=r"(r)
              : "r"(x), "n"((32 - TEAM) << 8 | 31));
    return r;
}

/* Synchronises the warp: afterwards its work-items see what each of them wrote to local memory
 * before. */
FN void warp_meet(void) {
    LANES_ASM("bar.warp.sync 0xffffffff;" ::: "memory");
}

#endif

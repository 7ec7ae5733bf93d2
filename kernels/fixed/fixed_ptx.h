/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums and products of fixed-point numbers (fixed.h) with NVIDIA's carry flag, for CUDA and
 * NVIDIA's OpenCL. Volatile statements keep their order, and the compiler puts no other code that
 * changes the flag between them. The pair mad.lo.cc, madc.hi.cc becomes one instruction
 * (IMAD.WIDE.U32.X). */
#ifndef FIXED_PTX_H
#define FIXED_PTX_H

#if defined(__CUDACC__)
#define FIXED_ASM asm volatile
#else
#define FIXED_ASM __asm volatile
#endif

#define FIXED_INSTRUCTION_2(name, text)                                                            \
    FN u32 fixed_##name(u32 a, u32 b) {                                                            \
        u32 r;                                                                                     \
        FIXED_ASM(text ".u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                             \
        return r;                                                                                  \
    }
#define FIXED_INSTRUCTION_3(name, text)                                                            \
    FN u32 fixed_##name(u32 a, u32 b, u32 c) {                                                     \
        u32 r;                                                                                     \
        FIXED_ASM(text ".u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                 \
        return r;                                                                                  \
    }
FIXED_INSTRUCTION_2(add_cc, "add.cc")
FIXED_INSTRUCTION_2(addc_cc, "addc.cc")
FIXED_INSTRUCTION_2(addc, "addc")
FIXED_INSTRUCTION_2(sub_cc, "sub.cc")
FIXED_INSTRUCTION_2(subc_cc, "subc.cc")
FIXED_INSTRUCTION_2(subc, "subc")
FIXED_INSTRUCTION_3(mad_lo_cc, "mad.lo.cc")
FIXED_INSTRUCTION_3(madc_lo_cc, "madc.lo.cc")
FIXED_INSTRUCTION_3(madc_lo, "madc.lo")
FIXED_INSTRUCTION_3(madc_hi_cc, "madc.hi.cc")
FIXED_INSTRUCTION_3(madc_hi, "madc.hi")
#undef FIXED_INSTRUCTION_2
#undef FIXED_INSTRUCTION_3

FN struct fixed fixed_add(struct fixed u, struct fixed v) {
    u.w[0] = fixed_add_cc(u.w[0], v.w[0]);
    UNROLL for (int i = 1; i < FIXED_TOP; i++) u.w[i] = fixed_addc_cc(u.w[i], v.w[i]);
    u.w[FIXED_TOP] = fixed_addc(u.w[FIXED_TOP], v.w[FIXED_TOP]);
    return u;
}

FN struct fixed fixed_sub(struct fixed u, struct fixed v) {
    u.w[0] = fixed_sub_cc(u.w[0], v.w[0]);
    UNROLL for (int i = 1; i < FIXED_TOP; i++) u.w[i] = fixed_subc_cc(u.w[i], v.w[i]);
    u.w[FIXED_TOP] = fixed_subc(u.w[FIXED_TOP], v.w[FIXED_TOP]);
    return u;
}

/* Adds row i, the products u v_i, to two sums: s[0] has the products that begin at even words, s[1]
 * the products that begin at odd words. Each sum has its own carries, modulo 2^(32 (2 FIXED_WORDS -
 * 1)). The products with even words of u carry into word i + FIXED_WORDS, which no row before has
 * used. The products with odd words of u do not carry further, since (2^32 - 1)^2 + 2 < 2^64. */
FN void fixed_row(u32 s[2][2 * FIXED_WORDS + 1], struct fixed u, u32 v, int i) {
    u32 *e = s[i & 1] + i, *o = s[(i + 1) & 1] + i;
    e[0] = fixed_mad_lo_cc(u.w[0], v, e[0]);
    e[1] = fixed_madc_hi_cc(u.w[0], v, e[1]);
    UNROLL for (int j = 2; j < FIXED_WORDS; j += 2) {
        e[j] = fixed_madc_lo_cc(u.w[j], v, e[j]);
        e[j + 1] = fixed_madc_hi_cc(u.w[j], v, e[j + 1]);
    }
    if (i < FIXED_TOP)
        e[FIXED_WORDS] = fixed_addc(0, 0);
    o[1] = fixed_mad_lo_cc(u.w[1], v, o[1]);
    o[2] = fixed_madc_hi_cc(u.w[1], v, o[2]);
    UNROLL for (int j = 3; j < FIXED_TOP; j += 2) {
        o[j] = fixed_madc_lo_cc(u.w[j], v, o[j]);
        o[j + 1] = fixed_madc_hi_cc(u.w[j], v, o[j + 1]);
    }
    if (i < FIXED_TOP) {
        o[FIXED_TOP] = fixed_madc_lo_cc(u.w[FIXED_TOP], v, o[FIXED_TOP]);
        o[FIXED_WORDS] = fixed_madc_hi(u.w[FIXED_TOP], v, 0);
    } else {
        o[FIXED_TOP] = fixed_madc_lo(u.w[FIXED_TOP], v, o[FIXED_TOP]);
    }
}

/* Sets the sums to row 0, the products u v_0. No addition is needed. */
FN void fixed_first_row(u32 s[2][2 * FIXED_WORDS + 1], struct fixed u, u32 v) {
    UNROLL for (int j = 0; j < FIXED_WORDS; j++) {
        u64 t = (u64)u.w[j] * v;
        s[j & 1][j] = (u32)t, s[j & 1][j + 1] = (u32)(t >> 32);
    }
    s[0][FIXED_WORDS] = 0;
}

/* Subtracts {v, FIXED_TOP} from {r, FIXED_TOP} if `sign`, a signed word, is negative. */
#define FIXED_IF "{.reg .pred p;\n\tsetp.lt.s32 p, "
FN void fixed_correct(u32 *r, struct fixed v, u32 sign) {
#if FIXED_WORDS == 4
    FIXED_ASM(FIXED_IF "%6, 0;\n\t@p sub.cc.u32 %0, %0, %3;\n\t@p subc.cc.u32 %1, %1, %4;\n\t"
                       "@p subc.u32 %2, %2, %5;}"
              : "+r"(r[0]), "+r"(r[1]), "+r"(r[2])
              : "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]), "r"(sign));
#else
    const u32 mask = 0 - (sign >> 31);
    r[0] = fixed_sub_cc(r[0], v.w[0] & mask);
    UNROLL for (int i = 1; i < FIXED_TOP - 1; i++) r[i] = fixed_subc_cc(r[i], v.w[i] & mask);
    r[FIXED_TOP - 1] = fixed_subc(r[FIXED_TOP - 1], v.w[FIXED_TOP - 1] & mask);
#endif
}

/* Returns the product, rounded down. Multiplies u and v as unsigned numbers, and corrects the upper
 * half for each negative factor. */
FN struct fixed fixed_mul(struct fixed u, struct fixed v) {
    u32 s[2][2 * FIXED_WORDS + 1], sum[2 * FIXED_WORDS];
    struct fixed r;
    fixed_first_row(s, u, v.w[0]);
    UNROLL for (int i = 1; i < FIXED_WORDS; i++) fixed_row(s, u, v.w[i], i);
    sum[1] = fixed_add_cc(s[0][1], s[1][1]);
    UNROLL for (int k = 2; k < 2 * FIXED_TOP; k++) sum[k] = fixed_addc_cc(s[0][k], s[1][k]);
    sum[2 * FIXED_TOP] = fixed_addc(s[0][2 * FIXED_TOP], s[1][2 * FIXED_TOP]);
    fixed_correct(sum + FIXED_WORDS, v, u.w[FIXED_TOP]);
    fixed_correct(sum + FIXED_WORDS, u, v.w[FIXED_TOP]);
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) r.w[i] = sum[FIXED_TOP + i];
    return r;
}

FN struct fixed fixed_sqr(struct fixed u) {
    return fixed_square(u);
}

#endif

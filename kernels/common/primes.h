/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The five primes of the form k 2^25 + 1 below 2^31 with the largest product, in ascending order,
 * which Garner's steps (crt.h) need. GARNER_i_j is 1 / Pi mod Pj. The product of the primes is
 * 2^153.355. It exceeds sums of up to PRIMES_MAX_TERMS products of two 64-bit digits
 * (lib/multiply/ntt_plan.c). */
#ifndef PRIMES_H
#define PRIMES_H

#define PRIMES 5
#define PRIMES_LOG_ORDER 25 /* roots of unity of order 2^25 exist modulo each prime */

#define P0 1107296257u /* 33 * 2^25 + 1 */
#define P1 1711276033u /* 51 * 2^25 + 1 */
#define P2 1811939329u /* 54 * 2^25 + 1 */
#define P3 2013265921u /* 60 * 2^25 + 1 */
#define P4 2113929217u /* 63 * 2^25 + 1 */

#define P0_INV 3187671041u /* 1 / P0 mod 2^32 */
#define P1_INV 2583691265u
#define P2_INV 2483027969u
#define P3_INV 2281701377u
#define P4_INV 2181038081u

#define GARNER_0_1 285212675u
#define GARNER_0_2 1553090856u
#define GARNER_1_2 18u
#define GARNER_0_3 894784856u
#define GARNER_1_3 671088647u
#define GARNER_2_3 10u
#define GARNER_0_4 1479750454u
#define GARNER_1_4 1585446918u
#define GARNER_2_4 7u
#define GARNER_3_4 21u

#define PRIMES_MAX_TERMS 42941745u /* floor(P0 P1 P2 P3 P4 / (2^64 - 1)^2) */

#endif

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans: for all sizes they cover the product, without overlap, inside the bound. */
#include "testing.h"
#include "kernels/primes.h"
#include "lib/ntt_plan.h"

static void check_length(const struct ntt_length *l) {
    unsigned levels = 0;
    for (unsigned i = 0; i < l->passes; i++)
        levels += l->log_r[i];
    ck_assert_uint_eq(levels, l->log_m);
    for (unsigned i = 0; i + 1 < l->passes; i++)
        ck_assert(l->log_r[i] >= 5 && l->log_r[i] <= 10);
    unsigned last = l->log_r[l->passes - 1];
    ck_assert(last == 8 || last == 12);
}

static void check_plan(uint64_t un, uint64_t vn, uint64_t most) {
    struct ntt_plan p;
    ck_assert_msg(ntt_plan_init(&p, un, vn, most), "no plan for %lu by %lu digits", un, vn);
    uint64_t n = ntt_length_digits(&p.length), least = p.part_v < p.piece_u ? p.part_v : p.piece_u;
    check_length(&p.length);
    ck_assert(n <= most && n <= 1u << NTT_MAX_LOG);
    ck_assert(p.part_v + p.piece_u <= n);
    ck_assert(least <= PRIMES_MAX_TERMS);
    ck_assert(p.parts * p.part_v >= vn && (p.parts - 1) * p.part_v < vn);
    ck_assert(p.pieces * p.piece_u >= un && (p.pieces - 1) * p.piece_u < un);
    if (p.pieces > 1) {
        ck_assert(p.piece_u % NTT_ALIGN_DIGITS == 0);
        ck_assert(p.part_v <= p.piece_u); /* every second product stands clear */
    }
    if (p.parts > 1)
        ck_assert(p.part_v % NTT_ALIGN_DIGITS == 0);
}

START_TEST(plans_cover_random_sizes) {
    for (int i = 0; i < 200000; i++) {
        uint64_t a = testing_size(1ul << 32), b = testing_size(1ul << 32);
        uint64_t most = (uint64_t)1 << (13 + testing_below(20));
        check_plan(a < b ? b : a, a < b ? a : b, most);
    }
}
END_TEST

START_TEST(plans_cover_borders) {
    for (unsigned log = 1; log <= 27; log++)
        for (int64_t d = -2; d <= 2; d++)
            for (unsigned other = 0; other <= log; other++) {
                int64_t un = ((int64_t)1 << log) + d, vn = ((int64_t)1 << other) + d % 2;
                if (un >= 1 && vn >= 1)
                    check_plan(un < vn ? vn : un, un < vn ? un : vn, 1u << NTT_MAX_LOG);
            }
}
END_TEST

START_TEST(lengths_have_passes) {
    struct ntt_length l;
    for (unsigned t = 1; t <= 7; t += 2)
        for (unsigned log_m = 0; log_m < 32; log_m++) {
            unsigned log_t = t == 1 ? 0 : t == 3 ? 2 : 3;
            int fits = log_m >= NTT_MIN_LOG && log_m + log_t <= NTT_MAX_LOG;
            ck_assert_int_eq(ntt_length_init(&l, log_m, t), fits);
            if (fits)
                check_length(&l);
        }
}
END_TEST

START_TEST(too_little_room_is_no_plan) {
    struct ntt_plan p;
    ck_assert(!ntt_plan_init(&p, 1, 1, (1u << NTT_MIN_LOG) - 1));
    ck_assert(ntt_plan_init(&p, 1, 1, 1u << NTT_MIN_LOG));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("plan");
    TCase *tests = tcase_create("sizes");
    tcase_set_timeout(tests, 120);
    testing_random();
    tcase_add_test(tests, plans_cover_random_sizes);
    tcase_add_test(tests, plans_cover_borders);
    tcase_add_test(tests, lengths_have_passes);
    tcase_add_test(tests, too_little_room_is_no_plan);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests plans of long products by number-theoretic transforms. For all sizes a plan must cover the
 * product without overlap, and must respect the bound on coefficients and the available memory. */
#include "kernels/common/primes.h"
#include "lib/base/min.h"
#include "lib/multiply/ntt_plan.h"
#include "tests/support/testing.h"

#define DIGIT ((uint64_t)NTT_DIGIT_RESIDUES)
#define LONGEST ((uint64_t)1 << NTT_MAX_LOG)

static const struct ntt_device plenty = {(uint64_t)120 << 30, (uint64_t)120 << 30, UINT64_MAX,
                                         NTT_LAUNCH_GPU};

static void check_mulmod(const struct ntt_ring *r) {
    unsigned levels = 0;
    for (unsigned i = 0; i < r->passes; i++)
        levels += r->log_r[i];
    ck_assert_uint_eq(levels, r->log_m);
    ck_assert(r->log_m + r->root <= PRIMES_LOG_ORDER);
    for (unsigned i = 0; i + 1 < r->passes; i++)
        ck_assert(r->log_r[i] >= 5 && r->log_r[i] <= 10);
    unsigned last = r->log_r[r->passes - 1];
    ck_assert(last == 8 || last == 12);
}

static void check_length(const struct ntt_length *l) {
    ck_assert(l->rings == 1 || l->rings == 2);
    for (unsigned i = 0; i < l->rings; i++)
        check_mulmod(&l->ring[i]);
    ck_assert_uint_eq(l->ring[0].root, l->rings - 1);
    if (l->rings == 2) {
        ck_assert_uint_eq(l->ring[1].root, 0);
        ck_assert(l->ring[1].log_m < l->ring[0].log_m);
    }
}

static void check_plan(uint64_t un, uint64_t vn, const struct ntt_device *room) {
    struct ntt_plan p;
    ck_assert_msg(ntt_plan_init(&p, un, vn, room), "no plan for %lu by %lu digits", un, vn);
    uint64_t n = ntt_length_digits(&p.length);
    check_length(&p.length);
    ck_assert(n <= room->digits && n <= LONGEST);
    ck_assert(p.part_v + p.piece_u <= n);
    ck_assert(p.parts * p.part_v >= vn && (p.parts - 1) * p.part_v < vn);
    ck_assert(p.pieces * p.piece_u >= un && (p.pieces - 1) * p.piece_u < un);
    ck_assert(p.kept >= 1 && p.kept <= p.parts);
    ck_assert(p.kept * n * DIGIT <= room->largest);
    ck_assert(ntt_plan_bytes(&p) <= room->bytes);
    ck_assert(p.terms >= 1 && p.terms * min_u64(p.part_v, p.piece_u) <= PRIMES_MAX_TERMS);
    if (p.pieces > 1)
        ck_assert(p.piece_u % NTT_ALIGN_DIGITS == 0);
    /* One operand is cut into pieces, the other into parts. Parts must be as long as pieces, so
     * that products of different pieces and parts can be added at the same limb. */
    if (p.parts > 1)
        ck_assert(p.part_v == p.piece_u && p.part_v % NTT_ALIGN_DIGITS == 0);
}

START_TEST(plans_cover_random_sizes) {
    for (int i = 0; i < 100000; i++) {
        uint64_t a = testing_size(1ul << 32), b = testing_size(1ul << 32);
        uint64_t digits = (uint64_t)1 << (13 + testing_below(14));
        struct ntt_device room = {(4 + testing_size(200)) * DIGIT << NTT_MIN_LOG,
                                  (1 + testing_size(100)) * DIGIT << NTT_MIN_LOG, digits, i % 3};
        check_plan(a < b ? b : a, a < b ? a : b, i % 2 ? &plenty : &room);
    }
}
END_TEST

START_TEST(plans_cover_borders) {
    for (unsigned log = 1; log <= 27; log++)
        for (int64_t d = -2; d <= 2; d++)
            for (unsigned other = 0; other <= log; other++)
                for (unsigned eighths = 8; eighths < 16; eighths++) {
                    int64_t un = ((int64_t)eighths << log) / 8 + d;
                    int64_t vn = ((int64_t)1 << other) + d % 2;
                    if (un >= 1 && vn >= 1)
                        check_plan(un < vn ? vn : un, un < vn ? un : vn, &plenty);
                }
}
END_TEST

START_TEST(lengths_have_passes) {
    struct ntt_length l;
    for (unsigned below = 0; below <= NTT_MAX_BELOW; below++)
        for (unsigned log_n = 0; log_n < 32; log_n++) {
            int fits = below == 0 ? log_n >= NTT_MIN_LOG && log_n <= NTT_MAX_LOG
                                  : log_n >= NTT_MIN_LOG + below && log_n < NTT_MAX_LOG;
            ck_assert_int_eq(ntt_length_init(&l, log_n, below), fits);
            if (!fits)
                continue;
            check_length(&l);
            ck_assert_uint_eq(ntt_length_digits(&l),
                              (1u << log_n) + (below ? 1u << log_n >> below : 0));
        }
}
END_TEST

/* For products of two numbers of 2^26 to 2^30 bits, the length of the plan's transforms must be at
 * most a third longer than needed. Shorter products are not tested, because launches take most of
 * their time. */
START_TEST(lengths_come_in_small_steps) {
    struct ntt_plan p;
    for (uint64_t n = 1 << 20; n <= LONGEST / 2; n += n / 50) {
        ck_assert(ntt_plan_init(&p, n, n, &plenty));
        ck_assert(p.parts == 1 && p.pieces == 1);
        ck_assert_msg(3 * ntt_length_digits(&p.length) <= 8 * n + 8, "%lu digits", n);
    }
}
END_TEST

/* A product of two numbers of 2^30 bits may use 3 GiB of device memory in all. In a product of two
 * numbers of 2^36 bits on a device of 139 GiB, the plan must transform each part only once. */
START_TEST(plans_fit_the_memory) {
    struct ntt_plan p;
    const uint64_t n = (uint64_t)1 << 24, large = (uint64_t)1 << 30, gib = (uint64_t)1 << 30;
    struct ntt_device room = {139 * gib / 16 * 15 - 4 * 8 * large, 139 * gib, UINT64_MAX,
                              NTT_LAUNCH_GPU};
    ck_assert(ntt_plan_init(&p, n, n, &plenty));
    ck_assert(ntt_plan_bytes(&p) + 4 * 8 * n <= 3 * gib);
    ck_assert(ntt_plan_init(&p, large, large, &room));
    ck_assert_uint_eq(p.kept, p.parts);
    ck_assert(p.parts >= 2 && p.terms >= 2);
}
END_TEST

START_TEST(too_little_room_is_no_plan) {
    struct ntt_plan p;
    struct ntt_device room = plenty;
    room.digits = (1u << NTT_MIN_LOG) - 1;
    ck_assert(!ntt_plan_init(&p, 1, 1, &room));
    room.digits++;
    ck_assert(ntt_plan_init(&p, 1, 1, &room));
    room.largest = (DIGIT << NTT_MIN_LOG) - 1;
    ck_assert(!ntt_plan_init(&p, 1, 1, &room));
    room.largest++;
    room.bytes = (2 * DIGIT << NTT_MIN_LOG) - 1;
    ck_assert(!ntt_plan_init(&p, 1, 1, &room));
    room.bytes++;
    ck_assert(ntt_plan_init(&p, 1, 1, &room));
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("plan", 120,
                        TESTS(ONCE(plans_cover_random_sizes), ONCE(plans_cover_borders),
                              ONCE(lengths_have_passes), ONCE(lengths_come_in_small_steps),
                              ONCE(plans_fit_the_memory), ONCE(too_little_room_is_no_plan)));
}

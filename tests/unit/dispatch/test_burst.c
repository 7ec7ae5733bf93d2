/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests bursts: short periods in which calls are sent to a device that was too slow at last
 * measurement, to measure it again. Checks their length and frequency. */
#include "lib/dispatch/burst.h"
#include "tests/support/testing.h"

static const int64_t US = 1000, MS = 1000000;

/* A burst must last as long as four calls computed by GMP, but at least 2 ms and at most 50 ms. */
START_TEST(lengths) {
    static const struct {
        int64_t gmp, length;
    } cases[] = {{100 * 1000, 2000000}, {1000000, 4000000}, {100000000, 50000000}};
    for (int i = 0; i < 3; i++) {
        struct burst b = {0};
        ck_assert(burst_asks(&b, cases[i].gmp, MS));
        ck_assert(burst_asks(&b, cases[i].gmp, MS + cases[i].length - 1));
        ck_assert(!burst_asks(&b, cases[i].gmp, MS + cases[i].length));
    }
}
END_TEST

/* If the device is never faster in 10 s of calls, bursts must contain at most 2 % of the calls. */
START_TEST(share) {
    struct burst b = {0};
    int64_t asked = 0, in_burst = 0;
    for (int64_t now = MS; now < 10000 * MS; now += 100 * US, asked++)
        in_burst += burst_asks(&b, 100 * US, now);
    ck_assert_int_gt(in_burst, 20);
    ck_assert_int_le(in_burst * 50, asked);
}
END_TEST

/* After a burst in which the device was faster, the next burst must come soon. */
START_TEST(soon_again) {
    struct burst b = {0};
    int64_t now = MS;
    for (int k = 0; k < 6; k++, now += 300 * MS)
        ck_assert(burst_asks(&b, 100 * US, now));
    ck_assert(!burst_asks(&b, 100 * US, now - 200 * MS));
    burst_pays(&b);
    ck_assert(burst_asks(&b, 100 * US, now));
    ck_assert(!burst_asks(&b, 100 * US, now + 3 * MS));
    ck_assert(burst_asks(&b, 100 * US, now + 16 * MS));
}
END_TEST

int main(void) {
    return testing_main("burst", 4, TESTS(ONCE(lengths), ONCE(share), ONCE(soon_again)));
}

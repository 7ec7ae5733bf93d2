/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the choice between several devices, which depends on the calls queued on each and on
 * measured times. */
#include "lib/dispatch/choice.h"

#include <pthread.h>

#include "tests/support/testing.h"

static const unsigned three[] = {0, 2, 5};
static struct choice c;

static struct choice_call begin(int64_t cost, size_t bytes, int64_t now) {
    struct choice_call call;
    choice_begin(&c, &call, three, 3, cost, bytes, now);
    return call;
}

/* Records 40 calls on device i, one after another, with the cost `cost` and a measured time of
 * `ns` nanoseconds. */
static void show(unsigned i, int64_t cost, int64_t ns) {
    for (int k = 0; k < 40; k++) {
        struct choice_call call;
        choice_begin(&c, &call, &three[i], 1, cost, 0, 0);
        choice_end(&c, &call, true, ns);
    }
}

/* On equal devices, successive calls all use the first device; simultaneous calls use the devices
 * alternately. */
START_TEST(equal) {
    struct choice_call call[6];
    int counts[6] = {0};
    for (int k = 0; k < 10; k++) {
        call[0] = begin(1000, 0, 0);
        ck_assert_uint_eq(call[0].device, 0);
        choice_end(&c, &call[0], true, 1000);
    }
    for (int k = 0; k < 6; k++) {
        call[k] = begin(1000, 0, 0);
        counts[call[k].device]++;
    }
    ck_assert_int_eq(counts[0], 2);
    ck_assert_int_eq(counts[2], 2);
    ck_assert_int_eq(counts[5], 2);
    for (int k = 0; k < 6; k++)
        choice_end(&c, &call[k], true, 1000);
    for (int k = 0; k < CHOICE_DEVICES; k++)
        ck_assert_int_eq(c.device[k].queued, 0);
}
END_TEST

/* The last device is three times as fast as the others. It must have three calls when each of the
 * others has one. */
START_TEST(unequal) {
    struct choice_call call[5];
    int counts[6] = {0};
    show(0, 1 << 20, 3000000);
    show(1, 1 << 20, 3000000);
    show(2, 1 << 20, 1000000);
    for (int k = 0; k < 5; k++) {
        call[k] = begin(1 << 20, 0, 0);
        counts[call[k].device]++;
    }
    ck_assert_int_eq(counts[0], 1);
    ck_assert_int_eq(counts[2], 1);
    ck_assert_int_eq(counts[5], 3);
}
END_TEST

/* A long call on a device must count for more than many short calls. While the devices' times are
 * unknown, the sizes of calls are compared instead. */
START_TEST(long_calls) {
    struct choice_call one = begin(0, (size_t)1 << 30, 0);
    ck_assert_uint_eq(one.device, 0);
    for (int k = 0; k < 100; k++)
        ck_assert_uint_ne(begin(0, 1000, 0).device, 0);
    choice_end(&c, &one, false, 1);
    ck_assert_uint_eq(begin(0, 1000, 0).device, 0);
    for (int k = 0; k < 3; k++) /* calls of the largest possible size */
        ck_assert_uint_eq(begin(0, SIZE_MAX, 0).device, three[k]);
}
END_TEST

/* If a call fails or shares its device with another call, its time must not change the device's
 * known speed. */
START_TEST(lessons) {
    struct choice_call first = begin(1000, 0, 0), second;
    choice_end(&c, &first, false, 7);
    ck_assert_int_eq(c.device[0].time[1][first.class], 0);
    first = begin(1000, 0, 0);
    choice_begin(&c, &second, three, 1, 1000, 0, 0);
    choice_end(&c, &first, true, 4000);
    choice_end(&c, &second, true, 4000);
    ck_assert_int_eq(c.device[0].time[1][first.class], 0);
    /* The time of a device's first call must be ignored, because that call prepares the device. */
    for (int k = 0; k < 2; k++) {
        first = begin(1000, 0, 0);
        choice_end(&c, &first, true, k == 0 ? 1000000 : 4000);
    }
    ck_assert_int_eq(c.device[0].time[1][first.class], 4000);
    first = begin(1000, 0, 0);
    choice_end(&c, &first, true, 12000);
    ck_assert_int_eq(c.device[0].time[1][first.class], 5000);
}
END_TEST

/* A device that was measured as slow must be tried again after some time. */
START_TEST(forgiven) {
    struct choice_call other, call;
    show(0, 1000, 1000);
    show(1, 1000, 1000000);
    for (int k = 0; k < 2000; k++) {
        call = begin(1000, 0, 0);
        choice_begin(&c, &other, three, 2, 1000, 0, 0);
        choice_end(&c, &call, true, 1000);
        choice_end(&c, &other, true, 1000);
        if (other.device == three[1])
            break;
    }
    ck_assert_uint_eq(other.device, three[1]);
}
END_TEST

/* Several threads choose devices at the same time. */
enum { THREADS = 4, CALLS = 20000 };

static void *call_often(void *unused) {
    for (int k = 0; k < CALLS; k++) {
        struct choice_call call = begin(1000, 0, k);
        choice_end(&c, &call, true, k + 1000);
    }
    return unused;
}

START_TEST(threads) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, call_often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int k = 0; k < CHOICE_DEVICES; k++)
        ck_assert_int_eq(c.device[k].queued, 0);
}
END_TEST

int main(void) {
    return testing_main("choice", 4,
                        TESTS(ONCE(equal), ONCE(unequal), ONCE(long_calls), ONCE(lessons),
                              ONCE(forgiven), ONCE(threads)));
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decisions with a simulated clock, simulated threads and devices: which calls go to the device,
 * and a program's throughput compared with GMP alone. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/dispatch/decide.h"
#include "tests/support/testing.h"

enum { MOST_THREADS = 16, US = 1000, MS = 1000 * US, LIMBS = 1024, THRESHOLD = 256 };

/* A device with `servers` servers, each of which takes `ns` nanoseconds for a call; a call takes at
 * least `latency`. */
struct device {
    int servers;
    int64_t ns, latency, is_free[MOST_THREADS];
    bool gathers; /* calls that arrive while it works begin together afterwards */
    int64_t (*slowness)(int64_t now,
                        int64_t ns); /* a call's time on a device that others use, too */
};

static struct decide *state;
static struct decide_thread threads[MOST_THREADS];
static struct device device;
static struct world {
    int64_t now, gmp;        /* GMP's time of a call */
    enum outcome fails_with; /* the device's outcome instead of computing */
    struct sim {
        int64_t until;
        bool is_at_work;
        struct decide_call call;
        enum outcome outcome;
    } sim[MOST_THREADS];
    unsigned long done, outcomes[OUTCOME_COUNT];
} world;

static void start_world(int64_t gmp, int servers, int64_t ns) {
    free(state);
    state = calloc(1, sizeof *state);
    ck_assert_ptr_nonnull(state);
    memset(threads, 0, sizeof threads);
    world = (struct world){.now = 1000 * (int64_t)MS, .gmp = gmp};
    device = (struct device){.servers = servers, .ns = ns, .latency = ns};
}

/* Returns the end of a call on the server that is free first. */
static int64_t device_ends(int64_t now) {
    int64_t *best = &device.is_free[0];
    for (int i = 1; i < device.servers; i++)
        if (device.is_free[i] < *best)
            best = &device.is_free[i];
    int64_t begin = *best > now ? *best : now;
    if (device.gathers) { /* the second server is the next launch */
        if (now >= device.is_free[0])
            device.is_free[0] = now < device.is_free[1] ? device.is_free[1] : 0;
        best = &device.is_free[device.is_free[0] > now];
        if (*best <= now)
            *best = (best > device.is_free ? device.is_free[0] : now) + device.ns;
        return *best;
    }
    int64_t ns = device.slowness ? device.slowness(begin, device.ns) : device.ns;
    *best = begin + ns;
    return *best > now + device.latency ? *best : now + device.latency;
}

static const struct decide_question product = {.key = {PROFILE_mul, LIMBS, 2 * LIMBS, THRESHOLD}};

static void begin(struct sim *s, struct decide_thread *t) {
    s->outcome = decide_ask(state, t, &s->call, &product, world.now);
    s->until = world.now + world.gmp;
    if (s->outcome == OUTCOME_DONE && world.fails_with)
        s->outcome = world.fails_with;
    else if (s->outcome == OUTCOME_DONE)
        s->until = device_ends(world.now);
    s->is_at_work = true;
}

static void end(struct sim *s, struct decide_thread *t) {
    decide_end(state, t, &s->call, s->outcome, world.now);
    world.outcomes[s->outcome]++;
    world.done++;
    s->is_at_work = false;
}

/* Simulates `count` threads that compute one product after the other for `ns` nanoseconds.  Returns
 * the number of products. */
static unsigned long simulate(int count, int64_t ns) {
    const int64_t stop = world.now + ns;
    world.done = 0;
    memset(world.outcomes, 0, sizeof world.outcomes);
    for (int i = 0; i < count; i++)
        if (!world.sim[i].is_at_work)
            world.sim[i].until = world.now + i;
    for (;;) {
        int next = 0;
        for (int i = 1; i < count; i++)
            if (world.sim[i].until < world.sim[next].until)
                next = i;
        struct sim *s = &world.sim[next];
        if (s->until >= stop)
            break;
        world.now = s->until;
        if (s->is_at_work)
            end(s, &threads[next]);
        begin(s, &threads[next]);
    }
    world.now = stop;
    return world.done;
}

/* Simulates the same with GMP alone. */
static unsigned long alone(int count, int64_t ns) {
    return (unsigned long)(count * (ns / world.gmp));
}

/* Asserts that `done` is at least `percent` per cent of `of`, the throughput of GMP alone. */
#define ck_assert_percent(done, of, percent)                                                       \
    ck_assert_msg((done)*100 >= (of) * (percent), "%lu, but GMP alone %lu", (done),                \
                  (unsigned long)(of))

/* GMP's time from a profile. */
static int64_t profile_times;
static uint64_t gmp_ns(const struct profile *p, enum profile_threshold kind, size_t limbs) {
    (void)p;
    return kind == PROFILE_mul ? (uint64_t)profile_times * limbs / LIMBS : 0;
}

static void use_profile(int64_t ns) {
    profile_times = ns;
    entries_use_profile(&state->entries, NULL, gmp_ns);
}

static int64_t times_100(int64_t now, int64_t ns) {
    (void)now;
    return 100 * ns;
}

/* The device regularly serves another program for 14 ms. */
static int64_t slices(int64_t now, int64_t ns) {
    static int64_t calls;
    (void)now;
    return ++calls % 51 == 0 ? 14 * MS : ns;
}

START_TEST(test_one_thread) {
    start_world(100 * US, 1, 40 * US);
    simulate(1, 500 * MS);
    ck_assert_uint_eq(world.outcomes[OUTCOME_DONE], world.done);
    ck_assert_uint_ge(world.done, 12000);
}
END_TEST

/* A call or two show that a profile is wrong. */
START_TEST(test_one_thread_wrong_profile) {
    start_world(100 * US, 1, 40 * US);
    use_profile(10 * US);
    simulate(1, 500 * MS);
    ck_assert_uint_ge(world.outcomes[OUTCOME_DONE] + 2, world.done);
}
END_TEST

/* Others have used the device since before the first call. */
START_TEST(test_shared_from_the_start) {
    start_world(129 * US, 1, 270 * US);
    use_profile(129 * US);
    simulate(1, 2000 * MS);
    ck_assert_uint_ge(world.done, 2000 * MS / (129 * US) * 97 / 100);
}
END_TEST

/* One slow call after some: at most a few calls go to GMP. */
static int64_t one_slow(int64_t now, int64_t ns) {
    static bool was;
    bool is = !was && now > 1010 * (int64_t)MS;
    was |= is;
    return is ? 2 * MS : ns;
}

START_TEST(test_hiccup) {
    start_world(100 * US, 1, 40 * US);
    use_profile(100 * US);
    device.slowness = one_slow;
    simulate(1, 500 * MS);
    ck_assert_uint_le(world.outcomes[OUTCOME_BUSY], 5);
    ck_assert_uint_ge(world.done, 12000);
}
END_TEST

/* Slower by 100 from one call to the next, for a second; then as before. */
START_TEST(test_becomes_busy) {
    int count = _i ? 8 : 1;
    start_world(100 * US, 8, 40 * US);
    use_profile(100 * US);
    unsigned long before = simulate(count, 100 * MS);
    ck_assert_percent(before, alone(count, 100 * MS), 150);
    device.slowness = times_100;
    unsigned long busy = simulate(count, 1000 * MS);
    ck_assert_uint_le(world.outcomes[OUTCOME_DONE], (unsigned)(30 + 10 * count));
    ck_assert_percent(busy, alone(count, 1000 * MS), 94);
    busy = simulate(count, 1000 * MS);
    ck_assert_percent(busy, alone(count, 1000 * MS), 97);
    device.slowness = NULL;
    simulate(count, 1000 * MS); /* debts are paid */
    unsigned long after = simulate(count, 100 * MS);
    ck_assert_percent(after, before, 90);
}
END_TEST

/* A device that is free again is used at once if there is credit. */
START_TEST(test_back) {
    start_world(100 * US, 1, 40 * US);
    use_profile(100 * US);
    simulate(1, 100 * MS);
    device.slowness = times_100;
    simulate(1, 10 * MS);
    ck_assert_uint_ge(world.outcomes[OUTCOME_BUSY], 1);
    device.slowness = NULL;
    unsigned long after = simulate(1, 100 * MS);
    ck_assert_percent(after, 2500, 80);
}
END_TEST

/* 50 calls of 40 us, then one of 14 ms: a loss if GMP takes 100 us, a gain if it takes 700 us. */
START_TEST(test_slices) {
    for (int count = 1; count <= 8; count *= 8) {
        start_world(100 * US, 1, 40 * US);
        use_profile(100 * US);
        device.slowness = slices;
        unsigned long done = simulate(count, 10000 * (int64_t)MS);
        ck_assert_percent(done, alone(count, 10000 * (int64_t)MS), 97);
        start_world(700 * US, 1, 40 * US);
        use_profile(700 * US);
        device.slowness = slices;
        done = simulate(count, 10000 * (int64_t)MS);
        ck_assert_percent(done, alone(count, 10000 * (int64_t)MS), count == 1 ? 120 : 98);
    }
}
END_TEST

/* Sixteen threads, a device that is 10 % slower for each of them, or serves one at a time. */
START_TEST(test_many_threads_lose) {
    static const int servers[] = {16, 1, 1};
    static const int ns[] = {110 * US, 90 * US, 20 * US};
    static const unsigned percent[] = {97, 97, 105};
    for (int known = 0; known < 2; known++) {
        start_world(100 * US, servers[_i], ns[_i]);
        if (known)
            use_profile(100 * US);
        simulate(16, 100 * MS);
        unsigned long done = simulate(16, 2000 * MS);
        ck_assert_percent(done, alone(16, 2000 * MS), percent[_i]);
    }
}
END_TEST

/* Four at a time at 25 us beside 100: sixteen GMP threads make 160 products a ms, the device 160
 * with four threads more or less. */
START_TEST(test_mixture) {
    start_world(100 * US, 4, 25 * US);
    use_profile(100 * US);
    simulate(16, 100 * MS);
    unsigned long done = simulate(16, 1000 * MS);
    ck_assert_percent(done, alone(16, 1000 * MS), 140);
    ck_assert_uint_gt(world.outcomes[OUTCOME_DONE], done / 4);
    ck_assert_uint_gt(world.outcomes[OUTCOME_BUSY], done / 8);
}
END_TEST

/* Times that vary say nothing against a device that is many times as fast, even if it serves one
 * thread at a time. */
static int64_t varies(int64_t now, int64_t ns) {
    static int64_t calls;
    (void)now;
    return ++calls % 31 == 0 ? 10 * ns : ns;
}

START_TEST(test_clearly_faster) {
    start_world(20 * MS, 1, 100 * US);
    use_profile(20 * MS);
    device.slowness = varies;
    simulate(4, 100 * MS);
    simulate(4, 1000 * MS);
    ck_assert_uint_ge(world.outcomes[OUTCOME_DONE], 7000);
    ck_assert_uint_le(world.outcomes[OUTCOME_BUSY], 2);
}
END_TEST

/* A device that takes all that wait in one launch: two threads gain little by it, sixteen much. */
START_TEST(test_gathers) {
    start_world(100 * US, 1, 22 * US);
    use_profile(100 * US);
    device.gathers = true;
    simulate(16, 100 * MS);
    unsigned long done = simulate(16, 1000 * MS);
    ck_assert_percent(done, alone(16, 1000 * MS), 180);
}
END_TEST

/* A device for all: sixteen threads use it, whatever the profile says first. */
START_TEST(test_wrong_profile) {
    static const int factor[] = {1, 3, 9};
    start_world(90 * US, 16, _i == 0 ? 40 * US : 140 * US);
    use_profile(90 * US * factor[_i] / 3);
    simulate(16, 500 * MS);
    unsigned long done = simulate(16, 1000 * MS);
    ck_assert_percent(done, alone(16, 1000 * MS), _i == 0 ? 200 : 97);
    struct entry *e = entries_find(&state->entries, &product.key);
    int64_t gmp = entry_gmp(&state->entries, e, &product.key);
    ck_assert_int_ge(gmp, 80 * US);
    ck_assert_int_le(gmp, 100 * US);
    struct entry_key other = {PROFILE_mul, 4 * LIMBS, 8 * LIMBS, THRESHOLD}; /* corrected with it */
    gmp = entry_gmp(&state->entries, entries_find(&state->entries, &other), &other);
    ck_assert_int_ge(gmp, 4 * 70 * US);
    ck_assert_int_le(gmp, 4 * 110 * US);
}
END_TEST

/* While the device is being opened GMP's times are learned. */
START_TEST(test_opening) {
    start_world(100 * US, 1, 40 * US);
    world.fails_with = OUTCOME_OPENING;
    simulate(4, 10 * MS);
    ck_assert_uint_eq(world.outcomes[OUTCOME_DONE], 0);
    ck_assert_uint_le(world.outcomes[OUTCOME_BUSY],
                      4); /* beside the first, of which nothing is known */
    struct entry *e = entries_find(&state->entries, &product.key);
    ck_assert_int_eq(entry_gmp(&state->entries, e, &product.key), 100 * US);
    ck_assert_int_eq(atomic_load(&state->in_flight), 4);
}
END_TEST

/* A call that was left by longjmp no longer counts as on the device. */
START_TEST(test_longjmp) {
    start_world(100 * US, 1, 40 * US);
    for (int i = 0; i < 100; i++)
        begin(&world.sim[0], &threads[0]);
    ck_assert_int_eq(atomic_load(&state->in_flight), 1);
    end(&world.sim[0], &threads[0]);
    ck_assert_int_eq(atomic_load(&state->in_flight), 0);
}
END_TEST

/* Calls of 100 ms, begun one after the other: each thread counts until it has left its own. */
START_TEST(test_long_calls) {
    start_world(100 * MS, 1, 40 * US);
    world.fails_with = OUTCOME_OPENING; /* all are GMP's */
    for (int count = 1; count <= MOST_THREADS; count++)
        simulate(count, 7 * MS);
    simulate(MOST_THREADS, 300 * MS);
    for (int i = 0; i < MOST_THREADS; i++)
        ck_assert_int_eq(world.sim[i].call.threads, MOST_THREADS);
    begin(&world.sim[0], &threads[0]); /* as after longjmp */
    ck_assert_int_eq(world.sim[0].call.threads, MOST_THREADS);
    for (int i = 1; i < MOST_THREADS; i++)
        end(&world.sim[i], &threads[i]);
    simulate(1, 300 * MS);
    ck_assert_int_eq(world.sim[0].call.threads, 1);
    end(&world.sim[0], &threads[0]);
    ck_assert_int_eq(atomic_load(&state->crowd.inside), 0);
}
END_TEST

/* Calls inside of a long call leave it counted, once. */
START_TEST(test_long_calls_nested) {
    struct decide_call call[2]; /* call[1] has the higher address, as an outer call */
    start_world(100 * US, 1, 40 * US);
    threads[0].was_long = true;
    decide_ask(state, &threads[0], &call[1], &product, world.now);
    decide_ask(state, &threads[0], &call[0], &product, world.now);
    decide_end(state, &threads[0], &call[0], OUTCOME_BUSY, world.now + MS);
    ck_assert_int_eq(atomic_load(&state->crowd.inside), 1);
    decide_end(state, &threads[0], &call[1], OUTCOME_BUSY, world.now + 2 * MS);
    ck_assert_int_eq(atomic_load(&state->crowd.inside), 0);
    ck_assert(!threads[0].was_long);
}
END_TEST

/* A composite operation goes the way of a product while its own time is not known. */
START_TEST(test_composite) {
    struct decide_call call;
    struct decide_question division = {.key = {PROFILE_div, 4 * LIMBS, 12 * LIMBS, 4 * THRESHOLD},
                                       .is_composite = true,
                                       .product = LIMBS,
                                       .product_threshold = THRESHOLD};
    start_world(100 * US, 4, 40 * US);
    use_profile(100 * US);
    simulate(2, 100 * MS);
    ck_assert_int_eq(decide_ask(state, &threads[3], &call, &division, world.now), OUTCOME_DONE);
    decide_end(state, &threads[3], &call, OUTCOME_SMALL, world.now + MS);
    device.slowness = times_100;
    simulate(2, 500 * MS);
    account_add(&state->account, -ACCOUNT_DEBT); /* no trial */
    ck_assert_int_eq(decide_ask(state, &threads[3], &call, &division, world.now), OUTCOME_BUSY);
    decide_end(state, &threads[3], &call, OUTCOME_BUSY, world.now + MS);
    ck_assert_int_eq(entry_known_gmp(&state->entries, call.entry, &division.key), MS);
}
END_TEST

/* The first call waits until the device has prepared itself. */
static int64_t prepares(int64_t now, int64_t ns) {
    static bool was;
    (void)now;
    int64_t first = was ? 0 : 300 * (int64_t)MS;
    was = true;
    return first + ns;
}

/* Eight threads, a profile that sends everything, a device 30 times as slow as GMP: one thread
 * waits for the device and learns that, the others are not sent. */
START_TEST(test_slow_from_the_start) {
    const int64_t gmp = 100 * US;
    start_world(gmp, 1, 30 * gmp);
    use_profile(gmp);
    device.slowness = prepares;
    atomic_fetch_add(&state->warm_ups, 1);
    simulate(8, 200 * MS);
    ck_assert_uint_eq(world.outcomes[OUTCOME_DONE], 0); /* the explorer's call has not ended */
    unsigned long done = simulate(8, 800 * MS);
    ck_assert_uint_le(world.outcomes[OUTCOME_DONE], 20); /* trials, one in 50 ms */
    ck_assert_percent(done, alone(8, 800 * MS) - 100 * MS / gmp, 95);
    done = simulate(8, 1000 * MS);
    ck_assert_uint_le(world.outcomes[OUTCOME_DONE], 21);
    ck_assert_percent(done, alone(8, 1000 * MS), 97);
}
END_TEST

/* Calls that take GMP seconds do not stay away from a device that one of them is first to use. */
START_TEST(test_long_unknown_calls) {
    start_world(1000 * MS, 8, 10 * MS);
    use_profile(1000 * MS);
    atomic_fetch_add(&state->warm_ups, 1);
    simulate(8, 100 * MS);
    ck_assert_uint_eq(world.outcomes[OUTCOME_BUSY], 0);
    ck_assert_uint_ge(world.outcomes[OUTCOME_DONE], 8);
}
END_TEST

/* Every tenth call of GMP finds its thread without a CPU for 20 ms, the first one too. */
START_TEST(test_gmp_waits_for_cpu) {
    start_world(100 * US, 1, 40 * US);
    struct entry *e = entries_find(&state->entries, &product.key);
    for (int i = 0; i < 200; i++) {
        entry_observe_gmp(&state->entries, e, &product.key, i % 10 ? 100 * US : 20 * MS, world.now);
        world.now += MS;
        if (i >= 20 && i % 10 == 9)
            ck_assert_int_le(atomic_load(&e->gmp), 130 * US);
    }
}
END_TEST

static const struct decide_question quotient = {
    .key = {PROFILE_div, 4 * LIMBS, 12 * LIMBS, 4 * THRESHOLD},
    .is_composite = true,
    .product = LIMBS,
    .product_threshold = THRESHOLD};

/* A composite operation on the device, one product of which GMP computes: its time counts. */
START_TEST(test_composite_in_part) {
    struct decide_call call[2]; /* the outer one has the higher address */
    int sent = 0;
    start_world(100 * US, 1, 40 * US);
    use_profile(100 * US);
    simulate(2, 10 * MS);
    account_add(&state->account, -ACCOUNT_DEBT); /* no trial */
    struct entry *e = entries_find(&state->entries, &quotient.key);
    entry_observe_gmp(&state->entries, e, &quotient.key, 300 * US, world.now);
    for (int i = 0; i < 10; i++, world.now += 100 * US) {
        if (decide_ask(state, &threads[3], &call[1], &quotient, world.now) == OUTCOME_DONE) {
            sent++;
            decide_ask(state, &threads[3], &call[0], &product, world.now);
            world.now += 40 * MS;
            decide_end(state, &threads[3], &call[0], OUTCOME_BUSY, world.now);
            decide_end(state, &threads[3], &call[1], OUTCOME_DONE, world.now);
        } else
            decide_end(state, &threads[3], &call[1], OUTCOME_BUSY, world.now + 300 * US);
        simulate(2, MS); /* others ask, so the thread is not alone */
    }
    ck_assert_int_le(sent, 2); /* the first prepares the device, the second shows its time */
}
END_TEST

/* One thread explores with a composite operation: all of its products are sent, those of others
 * are not, and a trial that a thread leaves by longjmp does not last. */
START_TEST(test_composite_explores) {
    struct decide_call call[3];
    start_world(100 * US, 1, 40 * US);
    use_profile(100 * US);
    atomic_fetch_add(&state->warm_ups, 1);
    for (int i = 0; i < 2; i++) /* two threads */
        decide_end(state, &threads[i], &call[0],
                   decide_ask(state, &threads[i], &call[0], &product, world.now), world.now + 1);
    ck_assert_int_eq(decide_ask(state, &threads[0], &call[2], &quotient, world.now), OUTCOME_DONE);
    ck_assert_int_eq(decide_ask(state, &threads[0], &call[0], &product, world.now), OUTCOME_DONE);
    ck_assert_int_eq(decide_ask(state, &threads[1], &call[1], &quotient, world.now), OUTCOME_BUSY);
    decide_end(state, &threads[1], &call[1], OUTCOME_BUSY, world.now + MS);
    decide_end(state, &threads[0], &call[0], OUTCOME_DONE, world.now + MS);
    ck_assert_int_ne(atomic_load(&state->exploring), 0);
    ck_assert_int_eq(decide_ask(state, &threads[0], &call[2], &quotient, world.now + MS),
                     OUTCOME_DONE);
    decide_end(state, &threads[0], &call[2], OUTCOME_DONE, world.now + 2 * MS);
    ck_assert_int_eq(atomic_load(&state->exploring), 0);
}
END_TEST

int main(void) {
    return testing_main("decide", 120,
                        TESTS(ONCE(test_one_thread), ONCE(test_one_thread_wrong_profile),
                              ONCE(test_shared_from_the_start), ONCE(test_hiccup),
                              LOOP(test_becomes_busy, 2), ONCE(test_back), ONCE(test_slices),
                              LOOP(test_many_threads_lose, 3), ONCE(test_mixture),
                              ONCE(test_clearly_faster), ONCE(test_gathers),
                              LOOP(test_wrong_profile, 3), ONCE(test_opening), ONCE(test_longjmp),
                              ONCE(test_long_calls), ONCE(test_long_calls_nested),
                              ONCE(test_composite), ONCE(test_slow_from_the_start),
                              ONCE(test_long_unknown_calls), ONCE(test_gmp_waits_for_cpu),
                              ONCE(test_composite_in_part), ONCE(test_composite_explores)));
}

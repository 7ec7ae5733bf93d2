/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the decision whether a call is sent to the device, with a simulated clock, simulated
 * threads and a simulated device. Compares the program's throughput with that of GMP alone. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/dispatch/decide.h"
#include "tests/support/testing.h"

enum { MOST_THREADS = 16, US = 1000, MS = 1000 * US, LIMBS = 1024, THRESHOLD = 256 };

/* A simulated device with `servers` parallel units, each of which takes `ns` nanoseconds for a
 * call. A call takes at least `latency`. */
struct device {
    int servers;
    int64_t ns, latency, is_free[MOST_THREADS];
    bool coalesces; /* calls that arrive during a launch are computed together in the next launch */
    /* Returns the time of a call that starts at `now` on a device that other programs use, too;
     * `ns` is the call's time on a free device. NULL: the device is always free. */
    int64_t (*slowness)(int64_t now, int64_t ns);
};

static struct decide *state;
static struct decide_thread threads[MOST_THREADS];
static struct device device;
static struct schedule {
    int64_t now, gmp;   /* `gmp` is GMP's time for a call, in nanoseconds */
    int64_t cold;       /* more time of a call by GMP in the first ms after one on the device */
    int64_t device_end; /* when the last call on the device ended */
    enum outcome fails_with; /* if set, each call on the device fails with this outcome */
    struct sim {
        int64_t until;
        bool is_at_work;
        struct decide_call call;
        enum outcome outcome;
    } sim[MOST_THREADS];
    unsigned long done, outcomes[OUTCOME_COUNT];
} schedule;

static void start_schedule(int64_t gmp, int servers, int64_t ns) {
    free(state);
    state = calloc(1, sizeof *state);
    ck_assert_ptr_nonnull(state);
    memset(threads, 0, sizeof threads);
    schedule = (struct schedule){.now = 1000 * (int64_t)MS, .gmp = gmp};
    device = (struct device){.servers = servers, .ns = ns, .latency = ns};
}

/* Returns the time at which a call that begins now will end. The call runs on the parallel unit
 * that is free first. */
static int64_t device_ends(int64_t now) {
    int64_t *best = &device.is_free[0];
    for (int i = 1; i < device.servers; i++)
        if (device.is_free[i] < *best)
            best = &device.is_free[i];
    int64_t begin = *best > now ? *best : now;
    /* is_free[0] is when the running launch ends, is_free[1] when the next one ends */
    if (device.coalesces) {
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
/* products that are four times as long */
static const struct decide_question longer = {
    .key = {PROFILE_mul, 4 * LIMBS, 8 * LIMBS, THRESHOLD}};

static void begin(struct sim *s, struct decide_thread *t) {
    s->outcome = decide_ask(state, t, &s->call, &product, schedule.now);
    s->until =
        schedule.now + schedule.gmp + (schedule.now - schedule.device_end < MS ? schedule.cold : 0);
    if (s->outcome == OUTCOME_DONE && schedule.fails_with)
        s->outcome = schedule.fails_with;
    else if (s->outcome == OUTCOME_DONE) {
        s->until = device_ends(schedule.now);
        schedule.device_end = s->until;
    }
    s->is_at_work = true;
}

static void end(struct sim *s, struct decide_thread *t) {
    decide_end(state, t, &s->call, s->outcome, schedule.now);
    schedule.outcomes[s->outcome]++;
    schedule.done++;
    s->is_at_work = false;
}

/* Simulates `count` threads for `ns` nanoseconds, each of which computes one product after the
 * other. Returns the number of products. */
static unsigned long simulate(int count, int64_t ns) {
    const int64_t stop = schedule.now + ns;
    schedule.done = 0;
    memset(schedule.outcomes, 0, sizeof schedule.outcomes);
    for (int i = 0; i < count; i++)
        if (!schedule.sim[i].is_at_work)
            schedule.sim[i].until = schedule.now + i;
    for (;;) {
        int next = 0;
        for (int i = 1; i < count; i++)
            if (schedule.sim[i].until < schedule.sim[next].until)
                next = i;
        struct sim *s = &schedule.sim[next];
        if (s->until >= stop)
            break;
        schedule.now = s->until;
        if (s->is_at_work)
            end(s, &threads[next]);
        begin(s, &threads[next]);
    }
    schedule.now = stop;
    return schedule.done;
}

/* Returns how many products `count` threads compute by GMP alone in `ns` nanoseconds. */
static unsigned long alone(int count, int64_t ns) {
    return (unsigned long)(count * (ns / schedule.gmp));
}

/* Asserts that `done` is at least `percent` per cent of `of`, mostly the throughput of GMP. */
#define ck_assert_percent(done, of, percent)                                                       \
    ck_assert_msg((done)*100 >= (of) * (percent), "%lu, but GMP alone %lu", (done),                \
                  (unsigned long)(of))

/* The test's substitute for a profile: GMP needs `profile_times` nanoseconds for a product of LIMBS
 * limbs, and proportional times for other lengths. */
static int64_t profile_times;
static uint64_t gmp_ns(const struct profile *p, enum profile_threshold kind, size_t limbs) {
    (void)p;
    return kind == PROFILE_mul ? (uint64_t)profile_times * limbs / LIMBS : 0;
}

static void use_profile(int64_t ns) {
    profile_times = ns;
    call_costs_use_profile(&state->entries, NULL, gmp_ns);
}

static int64_t times_100(int64_t now, int64_t ns) {
    (void)now;
    return 100 * ns;
}

/* Makes every 51st call on the device take 14 ms, as if the device served another program first. */
static int64_t slices(int64_t now, int64_t ns) {
    static int64_t calls;
    (void)now;
    return ++calls % 51 == 0 ? 14 * MS : ns;
}

START_TEST(test_one_thread) {
    start_schedule(100 * US, 1, 40 * US);
    simulate(1, 500 * MS);
    ck_assert_uint_eq(schedule.outcomes[OUTCOME_DONE], schedule.done);
    ck_assert_uint_ge(schedule.done, 12000);
}
END_TEST

/* The profile's time for GMP is too short. The library must correct it after at most two calls of
 * GMP, and then use the device. */
START_TEST(test_one_thread_wrong_profile) {
    start_schedule(100 * US, 1, 40 * US);
    use_profile(10 * US);
    simulate(1, 500 * MS);
    ck_assert_uint_ge(schedule.outcomes[OUTCOME_DONE] + 2, schedule.done);
}
END_TEST

/* Other programs slow down the device from the beginning, so that it is slower than GMP. The
 * throughput must be nearly GMP's. */
START_TEST(test_shared_from_the_start) {
    start_schedule(129 * US, 1, 270 * US);
    use_profile(129 * US);
    simulate(1, 2000 * MS);
    ck_assert_uint_ge(schedule.done, 2000 * MS / (129 * US) * 97 / 100);
}
END_TEST

/* Makes one single call slow. After it the library may compute at most five calls by GMP. */
static int64_t one_slow(int64_t now, int64_t ns) {
    static bool was;
    bool is = !was && now > 1010 * (int64_t)MS;
    was |= is;
    return is ? 2 * MS : ns;
}

START_TEST(test_hiccup) {
    start_schedule(100 * US, 1, 40 * US);
    use_profile(100 * US);
    device.slowness = one_slow;
    simulate(1, 500 * MS);
    ck_assert_uint_le(schedule.outcomes[OUTCOME_BUSY], 5);
    ck_assert_uint_ge(schedule.done, 12000);
}
END_TEST

/* Makes the first call after a pause of 0.2 ms take four times as long. */
static int64_t sleeps(int64_t now, int64_t ns) {
    static int64_t last;
    bool was_asleep = now - last > 200 * US;
    last = now + ns > last ? now + ns : last;
    return was_asleep ? 4 * ns : ns;
}

/* Four threads and a device that is faster than GMP, but sleeps after each pause. After 20 ms in
 * which it is slow, the device must get nearly all calls again. */
START_TEST(test_threads_asleep) {
    static const int64_t gmp[] = {40 * US, 60 * US, 80 * US};
    start_schedule(gmp[_i], 4, 21 * US);
    use_profile(gmp[_i]);
    device.slowness = sleeps;
    simulate(4, 500 * MS);
    unsigned long before = simulate(4, 500 * MS);
    device.slowness = times_100;
    simulate(4, 20 * MS);
    device.slowness = sleeps;
    simulate(4, 200 * MS);
    unsigned long after = simulate(4, 500 * MS);
    ck_assert_percent(before, alone(4, 500 * MS), 98);
    ck_assert_percent(after, before, 97);
}
END_TEST

/* Makes a call of one thread, which takes by_gmp or by_device nanoseconds. Returns true if the
 * device was asked. */
static bool call(const struct decide_question *question, int64_t by_gmp, int64_t by_device) {
    struct decide_call c;
    enum outcome outcome = decide_ask(state, &threads[0], &c, question, schedule.now);
    const bool is_sent = outcome == OUTCOME_DONE;
    if (is_sent)
        outcome = schedule.fails_with;
    schedule.now += outcome == OUTCOME_DONE ? by_device : by_gmp;
    decide_end(state, &threads[0], &c, outcome, schedule.now);
    return is_sent;
}

/* Lets one thread learn the times of short and long products, first GMP's, then the device's. The
 * four times are in nanoseconds. */
static void learn_two_sizes(int64_t by_gmp, int64_t by_device, int64_t longer_by_gmp,
                            int64_t longer_by_device) {
    start_schedule(by_gmp, 1, by_device);
    for (int i = 0; i < 1000; i++) {
        schedule.fails_with = i < 10 ? OUTCOME_OPENING : OUTCOME_DONE;
        call(&product, by_gmp, by_device);
        call(&longer, longer_by_gmp, longer_by_device);
    }
}

/* One thread computes three short products and a long one in turn. The device becomes slow for the
 * short ones. Few of them may be trials, although the long ones interrupt each series. */
START_TEST(test_two_sizes_slow) {
    int sent = 0;
    learn_two_sizes(100 * US, 40 * US, 10 * MS, MS);
    for (int i = 0; i < 4000; i++)
        if (i % 4 == 3)
            call(&longer, 10 * MS, MS);
        else
            sent += call(&product, 100 * US, 320 * US);
    ck_assert_int_le(sent, 500);
}
END_TEST

/* One thread computes short and long products in turn, the long ones on the device. GMP, which was
 * fast at short products, becomes slow. The device must get them. */
START_TEST(test_two_sizes_slow_gmp) {
    int sent = 0;
    learn_two_sizes(40 * US, 50 * US, 200 * US, 50 * US);
    for (int i = 0; i < 4000; i++) {
        call(&longer, 200 * US, 50 * US);
        sent += call(&product, 150 * US, 50 * US);
    }
    ck_assert_int_ge(sent, 3500);
}
END_TEST

/* One thread, a device that gains little or nothing, and calls that were slow by GMP before the
 * device was open. GMP's first calls after calls on the device are slow, too. The device must get
 * few calls if it is slower than GMP, nearly all if it is faster, also after one slow call, and
 * though it sleeps after each pause. */
START_TEST(test_one_thread_close) {
    static const int64_t gmp[] = {14 * US, 19 * US, 25 * US, 34 * US, 60 * US};
    start_schedule(23 * US, 1, 21 * US);
    use_profile(14 * US);
    schedule.fails_with = OUTCOME_OPENING;
    simulate(1, 10 * MS);
    schedule.fails_with = OUTCOME_DONE;
    schedule.gmp = gmp[_i];
    schedule.cold = 9 * US;
    device.slowness = sleeps;
    simulate(1, 500 * MS);
    unsigned long done = simulate(1, 1000 * MS);
    ck_assert_percent(done, alone(1, 1000 * MS), 98);
    ck_assert_percent(done, (unsigned long)(1000 * MS / (21 * US)), 97);
    device.slowness = one_slow; /* and the same after one long call */
    simulate(1, MS);
    device.slowness = sleeps;
    simulate(1, 100 * MS);
    done = simulate(1, 1000 * MS);
    ck_assert_percent(done, alone(1, 1000 * MS), 98);
    ck_assert_percent(done, (unsigned long)(1000 * MS / (21 * US)), 97);
}
END_TEST

/* The device becomes 100 times slower for two seconds, then is as fast as before. During the two
 * seconds the throughput must be nearly that of GMP alone. Afterwards it must be nearly as high as
 * at first. */
START_TEST(test_becomes_busy) {
    int count = _i ? 8 : 1;
    start_schedule(100 * US, 8, 40 * US);
    use_profile(100 * US);
    unsigned long before = simulate(count, 100 * MS);
    ck_assert_percent(before, alone(count, 100 * MS), 150);
    device.slowness = times_100;
    unsigned long busy = simulate(count, 1000 * MS);
    ck_assert_uint_le(schedule.outcomes[OUTCOME_DONE], (unsigned)(30 + 10 * count));
    ck_assert_percent(busy, alone(count, 1000 * MS), 94);
    busy = simulate(count, 1000 * MS);
    ck_assert_percent(busy, alone(count, 1000 * MS), 97);
    device.slowness = NULL;
    simulate(count, 1000 * MS); /* debts are paid */
    unsigned long after = simulate(count, 100 * MS);
    ck_assert_percent(after, before, 90);
}
END_TEST

/* The device is fast at first, slow for 10 ms, then fast again. The library must use the device
 * again at once, because the device has saved time before. */
START_TEST(test_back) {
    start_schedule(100 * US, 1, 40 * US);
    use_profile(100 * US);
    simulate(1, 100 * MS);
    device.slowness = times_100;
    simulate(1, 10 * MS);
    ck_assert_uint_ge(schedule.outcomes[OUTCOME_BUSY], 1);
    device.slowness = NULL;
    unsigned long after = simulate(1, 100 * MS);
    ck_assert_percent(after, 2500, 80);
}
END_TEST

/* The device takes 40 us for each of 50 calls, then 14 ms for one. On average that is slower than
 * GMP at 100 us a call, but faster than GMP at 700 us a call. */
START_TEST(test_slices) {
    for (int count = 1; count <= 8; count *= 8) {
        start_schedule(100 * US, 1, 40 * US);
        use_profile(100 * US);
        device.slowness = slices;
        unsigned long done = simulate(count, 10000 * (int64_t)MS);
        ck_assert_percent(done, alone(count, 10000 * (int64_t)MS), 97);
        start_schedule(700 * US, 1, 40 * US);
        use_profile(700 * US);
        device.slowness = slices;
        done = simulate(count, 10000 * (int64_t)MS);
        ck_assert_percent(done, alone(count, 10000 * (int64_t)MS), count == 1 ? 120 : 98);
    }
}
END_TEST

/* Sixteen threads and a device that gains little or nothing: it is 10 % slower than GMP, or it
 * computes only one call at a time. The throughput must be nearly that of GMP alone, or more. */
START_TEST(test_many_threads_lose) {
    static const int servers[] = {16, 1, 1};
    static const int ns[] = {110 * US, 90 * US, 20 * US};
    static const unsigned percent[] = {97, 97, 105};
    for (int known = 0; known < 2; known++) {
        start_schedule(100 * US, servers[_i], ns[_i]);
        if (known)
            use_profile(100 * US);
        simulate(16, 100 * MS);
        unsigned long done = simulate(16, 2000 * MS);
        ck_assert_percent(done, alone(16, 2000 * MS), percent[_i]);
    }
}
END_TEST

/* The device computes four calls at a time, in 25 us each; GMP takes 100 us. So sixteen threads
 * compute 160 products a ms by GMP, and 160 on the device. A mixture of both is best. */
START_TEST(test_mixture) {
    start_schedule(100 * US, 4, 25 * US);
    use_profile(100 * US);
    simulate(16, 100 * MS);
    unsigned long done = simulate(16, 1000 * MS);
    ck_assert_percent(done, alone(16, 1000 * MS), 140);
    ck_assert_uint_gt(schedule.outcomes[OUTCOME_DONE], done / 4);
    ck_assert_uint_gt(schedule.outcomes[OUTCOME_BUSY], done / 8);
}
END_TEST

/* Makes every 31st call ten times slower. The library must still use the device if it is much
 * faster than GMP, even if it computes only one call at a time. */
static int64_t varies(int64_t now, int64_t ns) {
    static int64_t calls;
    (void)now;
    return ++calls % 31 == 0 ? 10 * ns : ns;
}

START_TEST(test_clearly_faster) {
    start_schedule(20 * MS, 1, 100 * US);
    use_profile(20 * MS);
    device.slowness = varies;
    simulate(4, 100 * MS);
    simulate(4, 1000 * MS);
    ck_assert_uint_ge(schedule.outcomes[OUTCOME_DONE], 7000);
    ck_assert_uint_le(schedule.outcomes[OUTCOME_BUSY], 2);
}
END_TEST

/* The device computes all waiting calls in one launch. Two threads gain little from this, but
 * sixteen threads gain much. */
START_TEST(test_coalesces) {
    start_schedule(100 * US, 1, 22 * US);
    use_profile(100 * US);
    device.coalesces = true;
    simulate(16, 100 * MS);
    unsigned long done = simulate(16, 1000 * MS);
    ck_assert_percent(done, alone(16, 1000 * MS), 180);
}
END_TEST

/* The device has a parallel unit for each of sixteen threads. The library must use it if it is
 * faster than GMP, even if the profile's time for GMP is wrong at first. */
START_TEST(test_wrong_profile) {
    static const int factor[] = {1, 3, 9};
    start_schedule(90 * US, 16, _i == 0 ? 40 * US : 140 * US);
    use_profile(90 * US * factor[_i] / 3);
    simulate(16, 500 * MS);
    unsigned long done = simulate(16, 1000 * MS);
    ck_assert_percent(done, alone(16, 1000 * MS), _i == 0 ? 200 : 97);
    struct call_cost *e = call_costs_find(&state->entries, &product.key);
    int64_t gmp = call_cost_gmp(&state->entries, e, &product.key);
    ck_assert_int_ge(gmp, 80 * US);
    ck_assert_int_le(gmp, 100 * US);
    struct call_cost_key other = {PROFILE_mul, 4 * LIMBS, 8 * LIMBS,
                                  THRESHOLD}; /* corrected with it */
    gmp = call_cost_gmp(&state->entries, call_costs_find(&state->entries, &other), &other);
    ck_assert_int_ge(gmp, 4 * 70 * US);
    ck_assert_int_le(gmp, 4 * 110 * US);
}
END_TEST

/* While the device is being opened, GMP computes the calls. From these the library must learn GMP's
 * times. */
START_TEST(test_opening) {
    start_schedule(100 * US, 1, 40 * US);
    schedule.fails_with = OUTCOME_OPENING;
    simulate(4, 10 * MS);
    ck_assert_uint_eq(schedule.outcomes[OUTCOME_DONE], 0);
    /* At most the first call of each of the four threads may get the outcome "busy", because the
     * time of a call is not known yet. */
    ck_assert_uint_le(schedule.outcomes[OUTCOME_BUSY], 4);
    struct call_cost *e = call_costs_find(&state->entries, &product.key);
    ck_assert_int_eq(call_cost_gmp(&state->entries, e, &product.key), 100 * US);
    ck_assert_int_eq(atomic_load(&state->in_flight), 4);
}
END_TEST

/* A thread leaves calls by longjmp and begins other calls. It must count as one call on the device
 * until its latest call ends. */
START_TEST(test_longjmp) {
    start_schedule(100 * US, 1, 40 * US);
    for (int i = 0; i < 100; i++)
        begin(&schedule.sim[0], &threads[0]);
    ck_assert_int_eq(atomic_load(&state->in_flight), 1);
    end(&schedule.sim[0], &threads[0]);
    ck_assert_int_eq(atomic_load(&state->in_flight), 0);
}
END_TEST

/* Threads begin calls of 100 ms, one thread after the other. Each thread must be counted as active
 * until its own call has ended. */
START_TEST(test_long_calls) {
    start_schedule(100 * MS, 1, 40 * US);
    schedule.fails_with = OUTCOME_OPENING; /* all are GMP's */
    for (int count = 1; count <= MOST_THREADS; count++)
        simulate(count, 7 * MS);
    simulate(MOST_THREADS, 300 * MS);
    for (int i = 0; i < MOST_THREADS; i++)
        ck_assert_int_eq(schedule.sim[i].call.threads, MOST_THREADS);
    begin(&schedule.sim[0], &threads[0]); /* as after longjmp */
    ck_assert_int_eq(schedule.sim[0].call.threads, MOST_THREADS);
    for (int i = 1; i < MOST_THREADS; i++)
        end(&schedule.sim[i], &threads[i]);
    simulate(1, 300 * MS);
    ck_assert_int_eq(schedule.sim[0].call.threads, 1);
    end(&schedule.sim[0], &threads[0]);
    ck_assert_int_eq(atomic_load(&state->active.inside), 0);
}
END_TEST

/* A thread in a long call makes another call inside it. The thread must be counted as active once,
 * until the outer call ends. */
START_TEST(test_long_calls_nested) {
    /* call[0] is the inner call, call[1] the outer one; the outer call must have the higher
     * address, as on a stack */
    struct decide_call call[2];
    start_schedule(100 * US, 1, 40 * US);
    threads[0].was_long = true;
    decide_ask(state, &threads[0], &call[1], &product, schedule.now);
    decide_ask(state, &threads[0], &call[0], &product, schedule.now);
    decide_end(state, &threads[0], &call[0], OUTCOME_BUSY, schedule.now + MS);
    ck_assert_int_eq(atomic_load(&state->active.inside), 1);
    decide_end(state, &threads[0], &call[1], OUTCOME_BUSY, schedule.now + 2 * MS);
    ck_assert_int_eq(atomic_load(&state->active.inside), 0);
    ck_assert(!threads[0].was_long);
}
END_TEST

/* A composite operation consists of several products. While its time is unknown, the library must
 * send it to the device if it would send these products. */
START_TEST(test_composite) {
    struct decide_call call;
    struct decide_question division = {.key = {PROFILE_div, 4 * LIMBS, 12 * LIMBS, 4 * THRESHOLD},
                                       .is_composite = true,
                                       .product = LIMBS,
                                       .product_threshold = THRESHOLD};
    start_schedule(100 * US, 4, 40 * US);
    use_profile(100 * US);
    simulate(2, 100 * MS);
    ck_assert_int_eq(decide_ask(state, &threads[3], &call, &division, schedule.now), OUTCOME_DONE);
    decide_end(state, &threads[3], &call, OUTCOME_SMALL, schedule.now + MS);
    device.slowness = times_100;
    simulate(2, 500 * MS);
    trial_budget_add(&state->budget, -TRIAL_BUDGET_DEBT); /* no trial */
    ck_assert_int_eq(decide_ask(state, &threads[3], &call, &division, schedule.now), OUTCOME_BUSY);
    decide_end(state, &threads[3], &call, OUTCOME_BUSY, schedule.now + MS);
    ck_assert_int_eq(call_cost_known_gmp(&state->entries, call.entry, &division.key), MS);
}
END_TEST

/* Adds 300 ms to the first call on the device, in which the device prepares itself. */
static int64_t prepares(int64_t now, int64_t ns) {
    static bool was;
    (void)now;
    int64_t first = was ? 0 : 300 * (int64_t)MS;
    was = true;
    return first + ns;
}

/* The device is 30 times slower than GMP, although the profile says that it is faster. One of eight
 * threads must try the device and find this out; the calls of the other threads must go to GMP. */
START_TEST(test_slow_from_the_start) {
    const int64_t gmp = 100 * US;
    start_schedule(gmp, 1, 30 * gmp);
    use_profile(gmp);
    device.slowness = prepares;
    atomic_fetch_add(&state->warm_ups, 1);
    simulate(8, 200 * MS);
    /* 0, because the only call that was sent has not ended yet */
    ck_assert_uint_eq(schedule.outcomes[OUTCOME_DONE], 0);
    unsigned long done = simulate(8, 800 * MS);
    /* a few calls that try the device again, one every 50 ms */
    ck_assert_uint_le(schedule.outcomes[OUTCOME_DONE], 20);
    ck_assert_percent(done, alone(8, 800 * MS) - 100 * MS / gmp, 95);
    done = simulate(8, 1000 * MS);
    ck_assert_uint_le(schedule.outcomes[OUTCOME_DONE], 21);
    ck_assert_percent(done, alone(8, 1000 * MS), 97);
}
END_TEST

/* If GMP takes a second for a call, all threads may use a device whose speed is unknown, even while
 * another thread tries it for the first time. */
START_TEST(test_long_unknown_calls) {
    start_schedule(1000 * MS, 8, 10 * MS);
    use_profile(1000 * MS);
    atomic_fetch_add(&state->warm_ups, 1);
    simulate(8, 100 * MS);
    ck_assert_uint_eq(schedule.outcomes[OUTCOME_BUSY], 0);
    ck_assert_uint_ge(schedule.outcomes[OUTCOME_DONE], 8);
}
END_TEST

/* In every tenth call of GMP, including the first, the thread loses its CPU for 20 ms. These calls
 * must not change the time that the library has learned for GMP. */
START_TEST(test_gmp_waits_for_cpu) {
    start_schedule(100 * US, 1, 40 * US);
    struct call_cost *e = call_costs_find(&state->entries, &product.key);
    for (int i = 0; i < 200; i++) {
        call_cost_observe_gmp(&state->entries, e, &product.key, i % 10 ? 100 * US : 20 * MS,
                              schedule.now, false);
        schedule.now += MS;
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

/* A composite operation (one of several products) takes long, because the device is busy and GMP
 * computes one of its products. The time of this product must count as time of the operation, so
 * that the library does not send the operation again. */
START_TEST(test_composite_in_part) {
    /* call[0] is the inner call, call[1] the outer one; the outer call must have the higher
     * address, as on a stack */
    struct decide_call call[2];
    int sent = 0;
    start_schedule(100 * US, 1, 40 * US);
    use_profile(100 * US);
    simulate(2, 10 * MS);
    trial_budget_add(&state->budget, -TRIAL_BUDGET_DEBT); /* no trial */
    struct call_cost *e = call_costs_find(&state->entries, &quotient.key);
    call_cost_observe_gmp(&state->entries, e, &quotient.key, 300 * US, schedule.now, false);
    for (int i = 0; i < 10; i++, schedule.now += 100 * US) {
        if (decide_ask(state, &threads[3], &call[1], &quotient, schedule.now) == OUTCOME_DONE) {
            sent++;
            decide_ask(state, &threads[3], &call[0], &product, schedule.now);
            schedule.now += 40 * MS;
            decide_end(state, &threads[3], &call[0], OUTCOME_BUSY, schedule.now);
            decide_end(state, &threads[3], &call[1], OUTCOME_DONE, schedule.now);
        } else
            decide_end(state, &threads[3], &call[1], OUTCOME_BUSY, schedule.now + 300 * US);
        /* other threads make calls, too, so that this thread is not the only one */
        simulate(2, MS);
    }
    /* the first call sent prepares the device, the second one shows that the device is slow */
    ck_assert_int_le(sent, 2);
}
END_TEST

/* The device's speed is unknown, so one thread tries it with a composite operation (one of several
 * products). All its products must be sent; those of other threads must not. If the thread leaves
 * the operation by longjmp, other threads may try the device again after this thread's next
 * operation. */
START_TEST(test_composite_explores) {
    struct decide_call call[3];
    start_schedule(100 * US, 1, 40 * US);
    use_profile(100 * US);
    atomic_fetch_add(&state->warm_ups, 1);
    for (int i = 0; i < 2; i++) /* two threads */
        decide_end(state, &threads[i], &call[0],
                   decide_ask(state, &threads[i], &call[0], &product, schedule.now),
                   schedule.now + 1);
    ck_assert_int_eq(decide_ask(state, &threads[0], &call[2], &quotient, schedule.now),
                     OUTCOME_DONE);
    ck_assert_int_eq(decide_ask(state, &threads[0], &call[0], &product, schedule.now),
                     OUTCOME_DONE);
    ck_assert_int_eq(decide_ask(state, &threads[1], &call[1], &quotient, schedule.now),
                     OUTCOME_BUSY);
    decide_end(state, &threads[1], &call[1], OUTCOME_BUSY, schedule.now + MS);
    decide_end(state, &threads[0], &call[0], OUTCOME_DONE, schedule.now + MS);
    ck_assert_int_ne(atomic_load(&state->exploring), 0);
    ck_assert_int_eq(decide_ask(state, &threads[0], &call[2], &quotient, schedule.now + MS),
                     OUTCOME_DONE);
    decide_end(state, &threads[0], &call[2], OUTCOME_DONE, schedule.now + 2 * MS);
    ck_assert_int_eq(atomic_load(&state->exploring), 0);
}
END_TEST

int main(void) {
    return testing_main(
        "decide", 120,
        TESTS(ONCE(test_one_thread), ONCE(test_one_thread_wrong_profile),
              ONCE(test_shared_from_the_start), ONCE(test_hiccup), LOOP(test_one_thread_close, 5),
              LOOP(test_threads_asleep, 3), ONCE(test_two_sizes_slow),
              ONCE(test_two_sizes_slow_gmp), LOOP(test_becomes_busy, 2), ONCE(test_back),
              ONCE(test_slices), LOOP(test_many_threads_lose, 3), ONCE(test_mixture),
              ONCE(test_clearly_faster), ONCE(test_coalesces), LOOP(test_wrong_profile, 3),
              ONCE(test_opening), ONCE(test_longjmp), ONCE(test_long_calls),
              ONCE(test_long_calls_nested), ONCE(test_composite), ONCE(test_slow_from_the_start),
              ONCE(test_long_unknown_calls), ONCE(test_gmp_waits_for_cpu),
              ONCE(test_composite_in_part), ONCE(test_composite_explores)));
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the device of a call: the thread's bound device, otherwise the device expected to
 * finish the call first. */
#include "config.h"

#include "lib/session/session_choose.h"

#include "lib/base/started.h"
#include "lib/dispatch/dispatch.h"
#include "lib/process/event.h"

_Static_assert((int)CHOICE_DEVICES >= (int)SESSION_DEVICES, "a place for each");

static LARGE_ZERO struct choice choice;
/* number of the device that the thread is bound to, plus 1; 0: not bound */
static _Thread_local int8_t bound_device;
static _Thread_local uint8_t last; /* device chosen last */
/* the thread's operations are parts of a call that is already counted */
static _Thread_local bool is_counted_call;
static _Thread_local uint16_t allowed; /* bit mask of devices that the thread may use; 0: all */
_Static_assert((int)SESSION_DEVICES < INT8_MAX && (int)SESSION_DEVICES <= 16, "for these");

int session_bind(int device) {
    int before = bound_device - 1;
    bound_device = (int8_t)(device + 1);
    return before;
}

int session_bound(void) {
    return bound_device - 1;
}

static const struct gpu_device *device_of(unsigned number) {
    return &session_device_first(session_device(number))->dev;
}

void session_allow(uint32_t devices) {
    allowed = (uint16_t)devices;
}

/* Sets number[] to the numbers of devices that may run a call, and returns their count. is_job:
 * includes devices that accept only jobs. */
static unsigned devices_for(bool is_job, unsigned *number) {
    unsigned count = 0, begun = session_devices_begun();
    for (unsigned i = 0; i < begun; i++)
        if (session_device_is_open(session_device(i)) && (allowed == 0 || allowed >> i & 1) &&
            (is_job || !device_of(i)->caps.jobs_only))
            number[count++] = i;
    return count;
}

unsigned session_devices(unsigned *number) {
    return devices_for(false, number);
}

unsigned session_devices_of_group(unsigned *number) {
    unsigned own[SESSION_DEVICES], count = devices_for(true, number);
    return count > devices_for(false, own) ? count : 0;
}

/* Also returns the bit of a device that was abandoned because it did not answer. The server may
 * have replaced this device by another one. */
uint32_t session_devices_there(void) {
    uint32_t devices = 0;
    for (unsigned i = 0; i < session_devices_begun() && session_bound() == SESSION_ANY; i++) {
        struct session_device *d = session_device(i);
        if (!device_of(i)->caps.jobs_only &&
            (session_device_is_open(d) || access_guard_is_closed(&d->guard)))
            devices |= device_of(i)->caps.jobs;
    }
    return devices;
}

bool session_is_served(void) {
    unsigned number[SESSION_DEVICES];
    return session_devices(number) > 0 && device_of(number[0])->backend->is_served;
}

/* Returns true if two devices have about the same number of compute units. No other measure of
 * their speed is known without a driver call. */
static bool are_alike(const struct gpu_device *a, const struct gpu_device *b) {
    uint64_t u = a->caps.compute_units, v = b->caps.compute_units;
    return 4 * u >= 3 * v && 4 * v >= 3 * u;
}

/* Returns true if `dev` and the devices of number[] can copy from one another. */
static bool are_peers(const struct gpu_device *dev, const unsigned *number, unsigned count) {
    bool all = true;
    for (unsigned i = 0; i < count && all; i++)
        all = gpu_has_peer(dev, device_of(number[i])) && gpu_has_peer(device_of(number[i]), dev);
    return all;
}

unsigned session_devices_idle(unsigned *number, bool *peers) {
    unsigned all[SESSION_DEVICES], count = session_devices(all), idle = 0;
    *peers = true;
    for (unsigned i = 0; i < count; i++) {
        const struct gpu_device *dev = device_of(all[i]),
                                *first = idle > 0 ? device_of(number[0]) : dev;
        if (choice_is_busy(&choice, all[i]) || !are_alike(dev, first))
            continue;
        *peers = *peers && are_peers(dev, number, idle);
        number[idle++] = all[i];
    }
    return idle;
}

void session_set_counted(bool is_counted) {
    is_counted_call = is_counted;
}

bool session_is_usable(int device) {
    unsigned unused[SESSION_DEVICES];
    return device == SESSION_ANY ? devices_for(true, unused) > 0
                                 : session_device_is_open(session_device((unsigned)device));
}

static struct session_device *usable_device(int device, bool is_job) {
    struct session_device *d = session_device((unsigned)device);
    const bool is_usable =
        session_device_is_open(d) && (is_job || !device_of((unsigned)device)->caps.jobs_only);
    return is_usable ? d : NULL;
}

/* Chooses one of several devices, and counts the call as in progress on it. */
static struct session_device *choose_among_devices(struct session_choice *c, size_t bytes,
                                                   bool is_job) {
    unsigned number[SESSION_DEVICES], count = devices_for(is_job, number);
    if (bound_device) {
        number[0] = (unsigned)session_bound();
        count = usable_device(session_bound(), is_job) != NULL;
    }
    if (count == 0)
        return NULL;
    c->is_counted = true;
    return session_device(
        choice_begin(&choice, &c->call, number, count, dispatch_cost(), bytes, event_clock()));
}

/* Before a signal handler of the program runs, subtracts the call from its device's count of calls,
 * because the handler could leave by longjmp. If the handler returns, recount_chosen_call adds the
 * call again. */
static bool uncount_chosen_call(void *that) {
    struct session_choice *c = that;
    if (c->is_counted)
        choice_end(&choice, &c->call, false, event_clock());
    return true;
}

static bool recount_chosen_call(void *that) {
    struct session_choice *c = that;
    if (c->is_counted)
        choice_extend(&choice, &c->call);
    return true;
}

void session_choose(struct session_choice *c, size_t bytes, bool is_job) {
    c->window = (struct signal_window){
        .suspend = uncount_chosen_call, .resume = recount_chosen_call, .of = c};
    bool is_one = session_devices_begun() == 1;
    c->is_counted = false;
    c->start = stats_on ? event_clock() : 0;
    c->device = is_one ? usable_device(0, is_job) : choose_among_devices(c, bytes, is_job);
    last = c->device ? (uint8_t)c->device->number : last;
}

void session_choose_end(struct session_choice *c, enum outcome outcome) {
    bool is_done = outcome == OUTCOME_DONE;
    /* a signal handler has forked, and this is the child; `uncount_chosen_call` has already
     * subtracted the call */
    if (signal_guard_is_in_child())
        return;
    /* the times of calls of a bound thread are not used: such calls are parts of batches, whose
     * times vary too much */
    if (c->is_counted)
        choice_end(&choice, &c->call, is_done && !bound_device, event_clock());
    if (stats_on && is_done) {
        atomic_fetch_add(&c->device->calls, !is_counted_call);
        atomic_fetch_add(&c->device->ns, (uint64_t)(event_clock() - c->start));
    }
}

struct session_device *session_chosen_last(void) {
    return session_device(last);
}

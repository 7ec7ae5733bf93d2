/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The begin and end of large intercepted calls. */
#include "compat/intercept/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/base/sites/sites.h"
#include "lib/base/stats.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "lib/gmp/several.h"
#include "lib/gmp/symbols.h"
#include "lib/process/event.h"
#include "lib/process/interrupted.h"
#include "lib/process/signal_guard.h"
#include "lib/session/report/stats_report.h"

/* The intercepted call that this thread is executing: GMP's calls inside it are not intercepted.
 * Such calls are deeper in the stack.  A call that is not deeper shows that `inside` was left by
 * longjmp, from a signal handler or an allocation function. */
static _Thread_local struct call *inside;

/* The outermost call whose inner calls are intercepted (call_open), and whether an inner call was
 * sent. */
static _Thread_local struct call *opened;
static _Thread_local bool inner_sent;

static _Atomic unsigned long sent;

/* Uses the default floating-point environment, because the report computes times. */
static void report(void) {
    struct floating before;
    char device[256];
    floating_begin(&before);
    session_describe(device, sizeof device);
    stats_report(device);
    floating_end(&before);
}

/* Statistics have GMP's public names. */
static void start_stats(void) {
    const char *names[CALL_ALL_ROWS], *symbol = symbols_names;
    for (int i = 0; i < CALL_ROWS; i++, symbol = symbols_next(symbol))
        names[i] = symbols_public(symbol);
    names[ROW_mpgpu_batch_mul] = "mpgpu_batch_mul";
    names[ROW_mpgpu_batch_sum] = "mpgpu_batch_sum";
    names[ROW_mpgpu_expression_run] = "mpgpu_expression_run";
    names[ROW_mpgpu_batch_cmp] = "mpgpu_batch_cmp";
    names[ROW_mpgpu_batch_select] = "mpgpu_batch_select";
    names[ROW_mpgpu_batch_mod] = "mpgpu_batch_mod";
    names[ROW_mpgpu_batch_mod_mul] = "mpgpu_batch_mod_mul";
    names[ROW_mpgpu_batch_mod_pow] = "mpgpu_batch_mod_pow";
    names[ROW_mpgpu_batch_gcd] = "mpgpu_batch_gcd";
    names[ROW_mpgpu_batch_mod_inv] = "mpgpu_batch_mod_inv";
    names[ROW_mpgpu_batch_tdiv_qr] = "mpgpu_batch_tdiv_qr";
    names[ROW_mpgpu_number] = "mpgpu_number";
    names[ROW_mpgpu_tree] = "mpgpu_tree";
    names[ROW_mpgpu_mandelbrot] = "mpgpu_mandelbrot";
    names[ROW_flint_mpn_mul] = "flint_mpn_mul";
    stats_init(names, CALL_ALL_ROWS);
    sites_init();
    atexit(report);
}

static atomic_bool initialised;

static void first_call(void) {
    conf_init();
    real_resolve();
    real_log_missing();
    session_say_missing();
    session_init(); /* from here on other threads need not wait */
    if (conf_has_stats())
        start_stats();
    atomic_store(&initialised, true);
}

static bool initialise(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (real_is_resolved() && interrupted())
        return false;
    pthread_once(&once, first_call);
    return true;
}

/* Blocks signals: a handler that calls GMP would wait for the call that it has interrupted. */
bool call_init(void) {
    struct signal_guard guard;
    if (atomic_load(&initialised))
        return true;
    signal_guard_begin(&guard);
    bool ready = initialise();
    signal_guard_end(&guard);
    return ready;
}

bool call_has_come(void) {
    return atomic_load(&initialised);
}

bool call_is_large(size_t size, const _Atomic size_t *threshold) {
    int saved_errno = errno;
    if (!call_init() || size == 0 || thresholds_is_small(size, threshold) || !process_is_ours())
        return false;
    session_look();
    if (mpgpu_conf.open == OPEN_WAIT)
        session_wait(); /* afterwards the device's thresholds are in force */
    errno = saved_errno;
    return !thresholds_is_small(size, threshold);
}

/* Uses the default floating-point environment, because clock and counters compute. */
static double count_begin(const struct call *call) {
    struct floating before;
    floating_begin(&before);
    double now = stats_clock();
    if (!call->is_inner && sites_are_wanted())
        sites_enter(now);
    floating_end(&before);
    return now;
}

static struct stats_row *count_site(const struct call *call, double now) {
    return sites_leave(stats_rows[call->row].name, thresholds_kind(call->threshold), call->size,
                       now);
}

static void count_end(const struct call *call, enum outcome outcome) {
    struct floating before;
    floating_begin(&before);
    double now = stats_clock();
    struct stats_row *site = sites_are_wanted() ? count_site(call, now) : NULL;
    stats_count((int)call->row, outcome, call->limbs, now - call->start, site);
    floating_end(&before);
}

/* As with `inside`, an inner call is deeper in the stack.  A call that was left by longjmp may have
 * bound the thread to a device. */
static bool is_inner(const struct call *call) {
    if (opened && (uintptr_t)call < (uintptr_t)opened)
        return true;
    opened = NULL;
    inner_sent = false;
    session_bind(SESSION_ANY);
    stats_begin();
    return false;
}

bool call_begin(struct call *call, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs) {
    if (inside && (uintptr_t)call < (uintptr_t)inside)
        return false;
    int saved_errno = errno;
    if (!call_is_large(size, threshold) || several_have_come())
        return false;
    if (inside) /* it was left by longjmp, and with it its scratch */
        memory_scratch_stop();
    inside = call;
    call->row = row;
    call->is_inner = is_inner(call);
    call->saved_errno = saved_errno;
    call->size = size;
    call->limbs = limbs;
    call->threshold = threshold;
    call->start = stats_on ? count_begin(call) : 0;
    call->since = session_rents() ? event_clock() : 0;
    call->dispatch.is_asked = false;
    return true;
}

/* GMP takes 53 ns a limb for the shortest product that any device gains by, and more for all longer
 * ones and for what consists of products.  Sums take less. */
enum { LEAST_LIMB_NS = 50, MOST_LIMBS = 1 << 30 };

/* Returns OUTCOME_DONE if the device is open now, and its threshold is below the size, too. */
static enum outcome expect(size_t size, const _Atomic size_t *threshold) {
    enum outcome outcome = OUTCOME_OPENING;
    if (threshold != &thresholds.add && threshold != &thresholds.batch)
        outcome = session_expect(LEAST_LIMB_NS * (int64_t)min_u64(size, MOST_LIMBS));
    return outcome == OUTCOME_DONE && call_is_large(size, threshold) ? outcome : OUTCOME_OPENING;
}

static enum outcome unless_rented(enum outcome outcome, size_t size,
                                  const _Atomic size_t *threshold) {
    return outcome == OUTCOME_DONE && session_rents() ? expect(size, threshold) : outcome;
}

enum outcome call_dispatch(struct call *call, size_t size, const _Atomic size_t *threshold) {
    return unless_rented(dispatch_begin(&call->dispatch, threshold, size, call->limbs), size,
                         threshold);
}

enum outcome call_dispatch_composite(struct call *call, size_t size,
                                     const _Atomic size_t *threshold) {
    return unless_rented(dispatch_begin_composite(&call->dispatch, threshold, size, call->limbs),
                         size, threshold);
}

/* Credits GMP's time to the device's start (session_pay); an inner call credits the outermost
 * call's time so far. */
static void pay(struct call *call) {
    struct call *outermost = call->is_inner && opened ? opened : call;
    if (!outermost->since || !session_rents())
        return;
    int64_t now = event_clock();
    session_pay(now - outermost->since);
    outermost->since = now;
}

void call_end(struct call *call, enum outcome outcome) {
    dispatch_end(&call->dispatch, outcome);
    if (inner_sent && !call->is_inner)
        outcome = OUTCOME_DONE;
    if (outcome == OUTCOME_DONE)
        atomic_fetch_add_explicit(&sent, 1, memory_order_relaxed);
    if (call->is_inner)
        inner_sent |= outcome == OUTCOME_DONE;
    else if (stats_on)
        count_end(call, outcome);
    pay(call);
    inside = NULL;
    errno = call->saved_errno;
}

void call_open(void) {
    if (inside && !inside->is_inner)
        opened = inside;
    inside = NULL;
}

void call_close(struct call *call) {
    inside = call;
    if (opened == call)
        opened = NULL;
}

unsigned long call_sent(void) {
    return atomic_load_explicit(&sent, memory_order_relaxed);
}

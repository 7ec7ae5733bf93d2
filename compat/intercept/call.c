/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Begins and ends large intercepted calls: initialises the library, chooses the device or GMP, and
 * counts the calls. */
#include "compat/intercept/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/base/sites/sites.h"
#include "lib/base/stats.h"
#include "lib/gmp/real.h"
#include "lib/gmp/multi_libgmp.h"
#include "lib/gmp/symbols.h"
#include "lib/memory/touch.h"
#include "lib/process/event.h"
#include "lib/process/interrupted.h"
#include "lib/process/signal_guard.h"
#include "lib/session/report/stats_report.h"

/* The large call that this thread is executing, or NULL. GMP computes the calls inside it, that is,
 * deeper in the stack. A new call that is not deeper proves that the old call was left by
 * longjmp. */
static _Thread_local struct call *inside;

/* The call inside which GMP's own calls are intercepted (call_open), or NULL. inner_sent is true if
 * a device computed any of these inner calls. */
static _Thread_local struct call *opened;
static _Thread_local bool inner_sent;

static _Atomic unsigned long sent;

/* True if GMP computes all calls, and mpgpu-run estimates their time on a device. */
static bool is_estimate;

/* Writes the statistics when the program exits. Uses the default floating-point environment,
 * because it computes times. */
static void report(void) {
    struct floating before;
    char device[256];
    floating_begin(&before);
    session_describe(device, sizeof device);
    stats_report(device);
    floating_end(&before);
}

/* Starts the statistics, with a row for each function under its public name, such as mpz_mul. */
static void start_stats(void) {
    const char *names[CALL_ALL_ROWS], *symbol = symbols_names;
    for (int i = 0; i < CALL_ROWS; i++, symbol = symbols_next(symbol))
        names[i] = symbols_public(symbol);
    names[ROW_mpgpu_batch_mul] = "mpgpu_batch_mul";
    names[ROW_mpgpu_batch_sum] = "mpgpu_batch_sum";
    names[ROW_mpgpu_expression_run] = "mpgpu_expression_run";
    names[ROW_mpgpu_batch_cmp] = "mpgpu_batch_cmp";
    names[ROW_mpgpu_batch_select] = "mpgpu_batch_select";
    names[ROW_mpgpu_matrix_mul] = "mpgpu_matrix_mul";
    names[ROW_mpgpu_matrix_solve] = "mpgpu_matrix_solve";
    names[ROW_mpgpu_batch_mod] = "mpgpu_batch_mod";
    names[ROW_mpgpu_batch_mod_mul] = "mpgpu_batch_mod_mul";
    names[ROW_mpgpu_batch_mod_pow] = "mpgpu_batch_mod_pow";
    names[ROW_mpgpu_batch_gcd] = "mpgpu_batch_gcd";
    names[ROW_mpgpu_batch_mod_inv] = "mpgpu_batch_mod_inv";
    names[ROW_mpgpu_batch_tdiv_qr] = "mpgpu_batch_tdiv_qr";
    names[ROW_mpgpu_number] = "mpgpu_number";
    names[ROW_mpgpu_tree] = "mpgpu_tree";
    names[ROW_mpgpu_poly] = "mpgpu_poly";
    names[ROW_mpgpu_mandelbrot] = "mpgpu_mandelbrot";
    names[ROW_flint_mpn_mul] = "flint_mpn_mul";
    names[ROW_flint_poly_mul] = "flint_poly_mul";
    names[ROW_fmpz_mat_mul] = "fmpz_mat_mul";
    stats_init(names, CALL_ALL_ROWS);
    sites_init();
    is_estimate = sites_are_wanted() && conf_is_backend_none();
    atexit(report);
}

static atomic_bool initialised;

static void first_call(void) {
    conf_init();
    real_resolve();
    real_log_missing();
    session_say_missing();
    /* Sets the thresholds: from here on, small calls of other threads need not wait for this
     * function. */
    session_init();
    if (conf_has_stats())
        start_stats();
    atomic_store(&initialised, true);
}

static bool initialise(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (interrupted()) {
        real_resolve();
        return false;
    }
    pthread_once(&once, first_call);
    return true;
}

/* Blocks signals during the initialisation. Otherwise a handler that calls GMP would wait for the
 * initialisation that it has interrupted. */
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
        session_wait(); /* sets the thresholds of the device */
    errno = saved_errno;
    return !thresholds_is_small(size, threshold);
}

/* Returns the time at which the call begins. Uses the default floating-point environment, because
 * the clock and the counters compute with doubles. */
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
    if (site)
        site->fresh += call->fresh;
    stats_count((int)call->row, outcome, call->limbs, now - call->start, site);
    floating_end(&before);
}

/* Returns true if the call is inside a call whose inner calls are intercepted (call_open).
 * Otherwise unbinds the thread from its device: longjmp may have left an earlier call. */
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
    if (!call_is_large(size, threshold) || multi_libgmp_loaded())
        return false;
    /* if call `inside` was left by longjmp, GMP's functions allocate for the program again */
    if (inside)
        memory_scratch_stop();
    inside = call;
    call->row = row;
    call->is_inner = is_inner(call);
    call->saved_errno = saved_errno;
    call->size = size;
    call->limbs = limbs;
    call->threshold = threshold;
    call->start = stats_on ? count_begin(call) : 0;
    call->since = session_defers_contact() ? event_clock() : 0;
    call->dispatch.is_asked = false;
    call->has_results = false;
    call->fresh = 0;
    return true;
}

void call_results(struct call *call, mp_ptr p, size_t limbs, mp_ptr q, size_t more) {
    if (!is_estimate || !call || call->is_inner)
        return;
    call->fresh = touch_missing(p, limbs * sizeof *p);
    if (q)
        call->fresh += touch_missing(q, more * sizeof *q);
    call->has_results = true;
    memory_scratch_begin_apart(&call->scratch);
}

/* LEAST_LIMB_NS: a lower bound of GMP's time for each limb of a product, in nanoseconds, for
 * products long enough for a device. Sums are faster and are not counted. */
enum { LEAST_LIMB_NS = 50, MOST_LIMBS = 1 << 30 };

/* Begins to open the device if GMP's total time is large enough with a lower bound of its time for
 * this call (session_expect). Returns OUTCOME_DONE if the device is now open and `size` reaches its
 * threshold. */
static enum outcome expect(size_t size, const _Atomic size_t *threshold) {
    enum outcome outcome = OUTCOME_OPENING;
    if (threshold != &thresholds.add && threshold != &thresholds.batch)
        outcome = session_expect(LEAST_LIMB_NS * (int64_t)min_u64(size, MOST_LIMBS));
    return outcome == OUTCOME_DONE && call_is_large(size, threshold) ? outcome : OUTCOME_OPENING;
}

static enum outcome unless_deferred(enum outcome outcome, size_t size,
                                    const _Atomic size_t *threshold) {
    return outcome == OUTCOME_DONE && session_defers_contact() ? expect(size, threshold) : outcome;
}

enum outcome call_dispatch(struct call *call, size_t size, const _Atomic size_t *threshold) {
    return unless_deferred(dispatch_begin(&call->dispatch, threshold, size, call->limbs), size,
                           threshold);
}

enum outcome call_dispatch_composite(struct call *call, size_t size,
                                     const _Atomic size_t *threshold) {
    return unless_deferred(dispatch_begin_composite(&call->dispatch, threshold, size, call->limbs),
                           size, threshold);
}

/* Adds the time that GMP has spent in this call to GMP's total time (session_add_gmp_time). In an
 * inner call, adds the outermost call's time until now. */
static void pay(struct call *call) {
    struct call *outermost = call->is_inner && opened ? opened : call;
    if (!outermost->since || !session_defers_contact())
        return;
    int64_t now = event_clock();
    session_add_gmp_time(now - outermost->since);
    outermost->since = now;
}

void call_end(struct call *call, enum outcome outcome) {
    if (call->has_results)
        memory_scratch_end(&call->scratch);
    dispatch_end(&call->dispatch, outcome);
    if (inner_sent && !call->is_inner)
        outcome = OUTCOME_DONE;
    if (call->is_inner)
        inner_sent |= outcome == OUTCOME_DONE;
    else if (outcome == OUTCOME_DONE)
        atomic_fetch_add_explicit(&sent, 1, memory_order_relaxed);
    if (!call->is_inner && stats_on)
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

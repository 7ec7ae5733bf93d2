/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's balance of time gained and lost compared with GMP. It pays for trials: calls sent to
 * the device although it may be slower, one at a time. */
#include "lib/dispatch/trial_budget.h"

int64_t trial_budget_balance(const struct trial_budget *a) {
    return atomic_load_explicit(&a->balance, memory_order_relaxed);
}

static int64_t within(int64_t balance) {
    return balance > TRIAL_BUDGET_CREDIT  ? TRIAL_BUDGET_CREDIT
           : balance < -TRIAL_BUDGET_DEBT ? -TRIAL_BUDGET_DEBT
                                          : balance;
}

/* Adds ns to the balance, and keeps the balance within its limits. If another thread changes the
 * balance at the same time, that thread applies the limits. */
void trial_budget_add(struct trial_budget *a, int64_t ns) {
    int64_t now = atomic_fetch_add_explicit(&a->balance, ns, memory_order_relaxed) + ns;
    if (within(now) != now)
        atomic_compare_exchange_strong_explicit(&a->balance, &now, within(now),
                                                memory_order_relaxed, memory_order_relaxed);
}

void trial_budget_reset(struct trial_budget *a, int64_t now) {
    int64_t last = atomic_load_explicit(&a->forgiven, memory_order_relaxed);
    int64_t balance = trial_budget_balance(a);
    bool is_trying = atomic_load_explicit(&a->trial, memory_order_relaxed) != 0;
    if (balance >= 0 || is_trying || (last != 0 && now - last < 1000000000) ||
        !atomic_compare_exchange_strong_explicit(&a->forgiven, &last, now, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    atomic_compare_exchange_strong_explicit(&a->balance, &balance, 0, memory_order_relaxed,
                                            memory_order_relaxed);
    atomic_store_explicit(&a->in_vain, 0, memory_order_relaxed);
}

static int64_t gap_after(const struct trial_budget *a, int64_t gap) {
    if (gap < 0)
        return 0;
    int in_vain = atomic_load_explicit(&a->in_vain, memory_order_relaxed);
    int64_t more = in_vain ? (int64_t)TRIAL_BUDGET_GAP << (in_vain - 1) : 0;
    return gap > more ? gap : more;
}

/* Only one trial (a call to a device that may be slower) runs at a time. A trial that has lasted
 * longer than this, in nanoseconds, does not prevent another one, since its thread may have been
 * cancelled. */
static const int64_t longest_trial = 10000000000;

static bool is_under_way(int64_t trial, int64_t now) {
    return trial != 0 && now - trial < longest_trial;
}

static bool may_try(const struct trial_budget *a, int64_t trial, int64_t gap, int64_t now) {
    return trial_budget_balance(a) >= -TRIAL_BUDGET_OVERDRAFT &&
           now - atomic_load_explicit(&a->last, memory_order_relaxed) >= gap_after(a, gap) &&
           !is_under_way(trial, now);
}

bool trial_budget_try(struct trial_budget *a, int64_t loss, int64_t gap, int64_t now,
                      int64_t *reserved) {
    int64_t trial = atomic_load_explicit(&a->trial, memory_order_relaxed);
    if (!may_try(a, trial, gap, now) ||
        !atomic_compare_exchange_strong_explicit(&a->trial, &trial, now, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    *reserved = loss < 0 ? 0 : loss < TRIAL_BUDGET_MOST_LOSS ? loss : TRIAL_BUDGET_MOST_LOSS;
    trial_budget_add(a, -*reserved);
    return true;
}

void trial_budget_tried(struct trial_budget *a, int64_t reserved, int64_t now) {
    trial_budget_add(a, reserved);
    atomic_store_explicit(&a->last, now, memory_order_relaxed);
    atomic_store_explicit(&a->trial, 0, memory_order_relaxed);
}

void trial_budget_judge(struct trial_budget *a, bool good) {
    int in_vain = atomic_load_explicit(&a->in_vain, memory_order_relaxed);
    int next = good ? 0 : in_vain <= TRIAL_BUDGET_DOUBLINGS ? in_vain + 1 : in_vain;
    if (next != in_vain)
        atomic_store_explicit(&a->in_vain, next, memory_order_relaxed);
}

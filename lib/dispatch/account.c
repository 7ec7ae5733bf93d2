/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's balance of gains and losses, and its trials, of which only one runs at a time. */
#include "lib/dispatch/account.h"

int64_t account_balance(const struct account *a) {
    return atomic_load_explicit(&a->balance, memory_order_relaxed);
}

static int64_t within(int64_t balance) {
    return balance > ACCOUNT_CREDIT  ? ACCOUNT_CREDIT
           : balance < -ACCOUNT_DEBT ? -ACCOUNT_DEBT
                                     : balance;
}

/* Adds ns to the balance, and keeps that within its limits. If another thread changes the balance
 * at the same time, that thread limits it. */
void account_add(struct account *a, int64_t ns) {
    int64_t now = atomic_fetch_add_explicit(&a->balance, ns, memory_order_relaxed) + ns;
    if (within(now) != now)
        atomic_compare_exchange_strong_explicit(&a->balance, &now, within(now),
                                                memory_order_relaxed, memory_order_relaxed);
}

void account_forgive(struct account *a, int64_t now) {
    int64_t last = atomic_load_explicit(&a->forgiven, memory_order_relaxed);
    int64_t balance = account_balance(a);
    bool is_trying = atomic_load_explicit(&a->trial, memory_order_relaxed) != 0;
    if (balance >= 0 || is_trying || (last != 0 && now - last < 1000000000) ||
        !atomic_compare_exchange_strong_explicit(&a->forgiven, &last, now, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    atomic_compare_exchange_strong_explicit(&a->balance, &balance, 0, memory_order_relaxed,
                                            memory_order_relaxed);
    atomic_store_explicit(&a->in_vain, 0, memory_order_relaxed);
}

static int64_t gap_after(const struct account *a, int64_t gap) {
    int in_vain = atomic_load_explicit(&a->in_vain, memory_order_relaxed);
    int64_t more = in_vain ? (int64_t)ACCOUNT_GAP << (in_vain - 1) : 0;
    return gap > more ? gap : more;
}

/* A trial that takes longer is ignored, since its thread may have been cancelled. */
static const int64_t longest_trial = 10000000000;

static bool is_under_way(int64_t trial, int64_t now) {
    return trial != 0 && now - trial < longest_trial;
}

static bool may_try(const struct account *a, int64_t trial, int64_t gap, int64_t now) {
    return account_balance(a) >= -ACCOUNT_OVERDRAFT &&
           now - atomic_load_explicit(&a->last, memory_order_relaxed) >= gap_after(a, gap) &&
           !is_under_way(trial, now);
}

bool account_try(struct account *a, int64_t loss, int64_t gap, int64_t now, int64_t *reserved) {
    int64_t trial = atomic_load_explicit(&a->trial, memory_order_relaxed);
    if (!may_try(a, trial, gap, now) ||
        !atomic_compare_exchange_strong_explicit(&a->trial, &trial, now, memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    *reserved = loss < 0 ? 0 : loss < ACCOUNT_MOST_LOSS ? loss : ACCOUNT_MOST_LOSS;
    account_add(a, -*reserved);
    return true;
}

void account_tried(struct account *a, int64_t reserved, int64_t now) {
    account_add(a, reserved);
    atomic_store_explicit(&a->last, now, memory_order_relaxed);
    atomic_store_explicit(&a->trial, 0, memory_order_relaxed);
}

void account_judge(struct account *a, bool good) {
    int in_vain = atomic_load_explicit(&a->in_vain, memory_order_relaxed);
    int next = good ? 0 : in_vain < ACCOUNT_DOUBLINGS ? in_vain + 1 : in_vain;
    if (next != in_vain)
        atomic_store_explicit(&a->in_vain, next, memory_order_relaxed);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The last step of a shared product on one device: adds overlapping words of other devices'
 * products, and delivers a range of the result. Words to which no other product is added are
 * downloaded while the device checks, copies and adds. The host waits only once. */
#include "lib/operate/shards/product_sum.h"

#include "gpu/host/pages.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/device/answers.h"
#include "lib/device/tables.h"
#include "lib/multiply/check.h"
#include "lib/transfer/transfer.h"

enum { LIMB_WORDS = 2 };

/* Indices of checks. */
enum { PLACE_PRODUCT, PLACE_RANGE };

_Static_assert(ANSWERS_CARRIES >= PRODUCT_SHARDS - 1, "one for each part");

struct work {
    struct context *s;
    struct product_sum *sum;
    struct number addend;
    struct check product, range;
};

static bool is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

/* Allocates all memory before the first word is changed: a failure after that could not be undone.
 * The product may have been computed in another context of the device, so this context may lack the
 * buffers. */
static enum gpu_status reserve(struct work *w) {
    uint64_t most = 0;
    gpu_mem unused;
    for (unsigned i = 0; i < w->sum->parts; i++)
        most = w->sum->part[i].words > most ? w->sum->part[i].words : most;
    enum gpu_status status = is_checked() ? tables_get(w->s, &unused) : GPU_OK;
    if (status == GPU_OK && most > 0)
        status = number_in_slot(w->s, SLOT_ADDEND, most, &w->addend);
    if (status == GPU_OK && most > 0)
        status = number_add_reserve(w->s, w->sum->words);
    return status == GPU_OK ? answers_get(w->s, &unused) : status;
}

/* ---- downloads */

/* Begins to download words `at` to `end` of the product to their place in the result. Does nothing
 * if the range is empty. */
static enum gpu_status begin_down(struct work *w, uint64_t at, uint64_t end) {
    const struct product_sum *sum = w->sum;
    if (at >= end)
        return GPU_OK;
    return transfer_begin_down(w->s->transfer, &w->s->queue, sum->rp + (at - sum->at) / LIMB_WORDS,
                               sum->product.mem, (size_t)(sum->product.at + at) * sizeof(uint32_t),
                               (size_t)(end - at) * sizeof(uint32_t));
}

/* Finds the words that can be downloaded before the additions. Moves the ends of this range to page
 * boundaries of the result, so that the device can write most pages directly. */
static void find_ends(const struct product_sum *sum, uint64_t *at, uint64_t *end) {
    char *range = (char *)sum->rp, *begin,
         *alone = range + (sum->alone_at - sum->at) * sizeof(uint32_t);
    size_t whole = pages_within(alone, sum->alone_words * sizeof(uint32_t), &begin);
    *at = sum->alone_at;
    *end = sum->alone_at + sum->alone_words;
    if (*at > sum->at)
        *at = whole ? sum->at + (uint64_t)(begin - range) / sizeof(uint32_t) : *end;
    if (*end < sum->at + sum->words && whole)
        *end = sum->at + (uint64_t)(begin + whole - range) / sizeof(uint32_t);
}

/* ---- sums */

static enum gpu_status fetch(struct work *w, const struct shard_part *part) {
    struct shard_part whole = *part;
    whole.at = 0;
    return product_shard_fetch(w->s, w->addend, &whole);
}

/* Adds part i of another device's product, which is in the buffer w->addend, to this device's
 * product. Queues the download of the carry. */
static enum gpu_status add(struct work *w, unsigned i) {
    const struct product_sum *sum = w->sum;
    const struct shard_part *part = &sum->part[i];
    uint64_t end = part->at < sum->alone_at ? sum->alone_at : sum->at + sum->words;
    struct number r = number_part(sum->product, part->at, end - part->at);
    enum gpu_status status =
        number_add(w->s, r, r, number_part(w->addend, 0, part->words), 0, NULL);
    return status == GPU_OK ? number_ask_carry(w->s, r.words, ANSWER_CARRIES + i) : status;
}

/* Adds all parts of other devices' products. A part in host memory is already in the buffer
 * w->addend: it was uploaded before the downloads began. */
static enum gpu_status add_all(struct work *w) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < w->sum->parts && status == GPU_OK; i++) {
        if (!w->sum->part[i].host)
            status = fetch(w, &w->sum->part[i]);
        if (status == GPU_OK)
            status = add(w, i);
    }
    return status;
}

static enum gpu_status coalesce_carries(struct work *w) {
    struct product_sum *sum = w->sum;
    sum->carry[BELOW] = sum->carry[ABOVE] = 0;
    for (unsigned i = 0; i < sum->parts; i++) {
        uint64_t carry = w->s->answers.host[ANSWER_CARRIES + i];
        if (carry > 1)
            return GPU_FAILED;
        sum->carry[sum->part[i].at < sum->alone_at ? BELOW : ABOVE] += carry;
    }
    return GPU_OK;
}

/* ---- all steps */

/* Queues the check of the device's own product, then the additions, then the computation of the
 * residue of the range to deliver. */
static enum gpu_status add_and_check(struct work *w) {
    const struct product_sum *sum = w->sum;
    enum gpu_status status = GPU_OK;
    if (is_checked())
        status = check_start_one(&w->product, w->s, sum->product, PLACE_PRODUCT);
    if (status == GPU_OK)
        status = add_all(w);
    if (status == GPU_OK && is_checked())
        status = check_start_one(&w->range, w->s, number_part(sum->product, sum->at, sum->words),
                                 PLACE_RANGE);
    return status;
}

static enum gpu_status begin(struct work *w) {
    const struct product_sum *sum = w->sum;
    enum gpu_status status = GPU_OK;
    uint64_t at, end;
    find_ends(sum, &at, &end);
    if (sum->parts > 0 && sum->part[0].host) /* the only part */
        status = fetch(w, &sum->part[0]);
    if (status == GPU_OK)
        status = begin_down(w, at, end);
    if (status == GPU_OK)
        status = add_and_check(w);
    if (status == GPU_OK)
        status = begin_down(w, sum->at, at);
    return status == GPU_OK ? begin_down(w, end, sum->at + sum->words) : status;
}

static enum gpu_status finish(struct work *w) {
    struct product_sum *sum = w->sum;
    enum gpu_status status = transfer_end_down(w->s->transfer, &w->s->queue);
    if (status == GPU_OK)
        status = coalesce_carries(w);
    if (status != GPU_OK || !is_checked())
        return status;
    sum->residue = check_residue(&w->range, 0);
    sum->residue_of_product = check_residue(&w->product, 0);
    return check_residues(w->s, sum->residue_of_product, sum->residue_of_u, sum->residue_of_v);
}

/* Adds the other devices' words and downloads the device's range of the result. Once words have
 * changed, GPU_NOMEM becomes GPU_FAILED, because the caller repeats the step after GPU_NOMEM and
 * the words would then be added twice. */
enum gpu_status product_sum_deliver(struct context *s, void *product_sum) {
    struct work w = {.s = s, .sum = product_sum};
    double clock = stats_clock();
    enum gpu_status status = reserve(&w);
    if (status != GPU_OK)
        return status;
    status = begin(&w);
    if (status == GPU_OK)
        status = finish(&w);
    stats_here()->download += stats_clock() - clock;
    return status == GPU_NOMEM ? GPU_FAILED : status;
}

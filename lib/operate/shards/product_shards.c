/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one product on several devices, each of which computes a shard (part). First each device
 * multiplies a part of the longer operand by the shorter one. Then each device checks its product,
 * adds the overlapping words of the other devices' products, and delivers a range of the result. A
 * step ends when all devices have ended it. Threads of the host wait for this without holding a
 * stream; no device waits for another.
 *
 * The residue of the result follows from the checked residues of all devices' products. It is
 * compared with the residue of the delivered words, which is computed after the additions. So the
 * comparison also covers copies, sums and carries.
 *
 * The shorter operand may be long too. If devices can copy from one another, each device then first
 * uploads a part of it, and copies the other parts from the other devices.
 *
 * Only one product at a time is shared. Its threads take the locks of devices in the same order as
 * threads of other calls, so no deadlock arises. */
#include "lib/operate/shards/product_shards.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/operate/shards/product_steps.h"
#include "lib/operate/shards/sharding.h"
#include "lib/process/signal_guard.h"
#include "lib/transfer/caller_memory.h"

enum { LIMB_WORDS = 2 };

/* The number of devices that can upload from host memory at once without slowing one another
 * (doc/design/scale.md). */
enum { SHARDS_UPLOADING = 4 };

/* ---- the number of shards: two for at least `least` limbs, one more for each further least / 2
 * limbs */

/* Returns the fewest limbs of a result for which a product is shared. A square needs twice the
 * limbs of a product: one device saves a transform for a square, and several devices do not. */
static size_t least_of(bool is_square) {
    size_t least = sharding_limbs();
    return is_square && least <= MPGPU_NEVER / 2 ? 2 * least : least;
}

/* Returns the number of shards. It is at most two if devices cannot copy from one another: the
 * overlapping part then passes through the result's memory, which has space for only one such
 * part. */
static unsigned count_shards(struct shared *s, size_t limbs, size_t least, bool *peers) {
    size_t each = least / 2, pay = limbs / (each ? each : 1);
    unsigned count = session_devices_idle(s->device, peers);
    unsigned most = *peers ? PRODUCT_SHARDS : 2;
    if (count > most)
        count = most;
    return count > pay ? (unsigned)pay : count;
}

/* ---- functions that run after the steps of a product */

static void forget_shard(const struct shard *h) {
    product_shard_forget(h->broadcast.keeper);
    product_shard_forget(h->product.keeper);
}

/* Allows the contexts to reuse the memory that they retain for other devices. Does nothing if a
 * device has not answered, because it may still read this memory. */
static void forget(const struct shared *s) {
    for (unsigned i = 0; i < s->cut.shards && !sharding_is_over(); i++)
        forget_shard(&s->shard[i]);
}

/* Returns the limb of the result to which a carry of device i must be added. Neighbouring devices'
 * parts of the result overlap, and are added there. `side` is BELOW or ABOVE: the overlap below or
 * above the words that device i computes alone. */
static size_t place_of_carry(const struct product_layout *c, unsigned i, int side) {
    size_t at;
    product_layout_alone(c, i, &at);
    return side == BELOW ? at : c->at[i + 1];
}

/* Adds `add` to the result at limb `at`, and propagates the carry. Returns the carry out of the
 * result. */
static mp_limb_t carry_on(const struct product_layout *c, mp_limb_t *rp, size_t at, mp_limb_t add) {
    for (; add && at < c->at[c->shards]; at++)
        add = caller_add(rp + at, add);
    return add;
}

/* Adds the carries of all devices' sums to the result, on the host. Returns false if there is a
 * carry out of the result's highest limb, because some word is then wrong. */
static bool carry(const struct shared *s, mp_limb_t *rp) {
    for (unsigned i = 0; i < s->cut.shards; i++)
        for (int side = 0; side < PRODUCT_SUM_SIDES; side++)
            if (carry_on(&s->cut, rp, place_of_carry(&s->cut, i, side),
                         s->shard[i].sum.carry[side]))
                return false;
    return true;
}

/* Returns B^at x modulo q, where B = 2^64. */
static uint64_t moved(uint64_t x, size_t at, struct check_modulus q) {
    return modulus_mul(x % q.m, modulus_residue_of_power(at * LIMB_WORDS, q), q);
}

/* Returns true if all devices have used the same shorter operand v, and the delivered words have
 * the same residue as the sum of the products. */
static bool is_right(const struct shared *s) {
    struct check_modulus q = tables_check_modulus();
    uint64_t result = 0, products = 0;
    for (unsigned i = 1; i < s->cut.shards; i++)
        if (s->shard[i].product.residue_of_v != s->shard[0].product.residue_of_v)
            return false;
    for (unsigned i = 0; i < s->cut.shards; i++) {
        const struct shard *h = &s->shard[i];
        result = (result + moved(h->sum.residue, s->cut.at[i], q)) % q.m;
        for (int side = 0; side < PRODUCT_SUM_SIDES; side++)
            result =
                (result + moved(h->sum.carry[side], place_of_carry(&s->cut, i, side), q)) % q.m;
        products = (products + moved(h->sum.residue_of_product, s->cut.from[i], q)) % q.m;
    }
    return result == products;
}

/* Checks the result and adds the carries. If the sum is wrong, the faulty device is unknown, so no
 * fault of a device is counted. After several wrong sums no product is shared any more. */
static enum outcome judge(const struct shared *s, mp_limb_t *rp) {
    if ((mpgpu_conf.verify == VERIFY_OFF || is_right(s)) && carry(s, rp))
        return OUTCOME_DONE;
    mpgpu_log(LOG_WARNING, "wrong sum of %u devices' shards of a product", s->cut.shards);
    sharding_count_wrong();
    return OUTCOME_FAILED;
}

/* Returns true if each device should upload only a part of the shorter operand and copy the other
 * parts from other devices. A product that is computed in pieces uploads its operands during the
 * computation. It gains from such copies only if there are more than SHARDS_UPLOADING devices. */
static bool is_broadcast_worth(const struct shared *s, bool peers) {
    bool is_in_parts = product_layout_limbs(&s->cut, 0) > (size_t)1 << NTT_MAX_LOG;
    return peers && s->cut.vn >= sharding_limbs() &&
           (!is_in_parts || s->cut.shards > SHARDS_UPLOADING);
}

static enum outcome multiply(struct shared *s, mp_limb_t *rp, bool peers, int *device) {
    enum outcome outcome = OUTCOME_DONE;
    bool is_broadcast = is_broadcast_worth(s, peers);
    if (is_broadcast)
        outcome = product_step(s, PRODUCT_BROADCAST, device);
    if (is_broadcast && outcome == OUTCOME_DONE)
        product_steps_receive(s);
    if (outcome == OUTCOME_DONE)
        outcome = product_step(s, PRODUCT_MULTIPLY, device);
    if (outcome == OUTCOME_DONE) {
        product_steps_add(s, rp);
        outcome = product_step(s, PRODUCT_ADD, device);
    }
    forget(s);
    return outcome == OUTCOME_DONE ? judge(s, rp) : outcome;
}

static enum outcome shard(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                          size_t vn, size_t least, int *device) {
    struct shared s = {0};
    bool peers;
    unsigned count = count_shards(&s, un + vn, least, &peers);
    if (count < 2 || !product_layout_init(&s.cut, un, vn, count))
        return OUTCOME_NONE;
    product_steps_begin(&s, rp, up, un, vp, peers);
    enum outcome outcome = multiply(&s, rp, peers, device);
    if (outcome == OUTCOME_DONE)
        stats_here()->ways[s.shard[0].product.way]++;
    mpgpu_log(LOG_DETAIL, "a product of %zu by %zu limbs on %u devices: %s", un, vn, count,
              outcome == OUTCOME_DONE ? "done" : "not done");
    return outcome;
}

enum outcome product_in_shards(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                               size_t vn, int *device) {
    struct signal_guard guard;
    enum outcome outcome = OUTCOME_NONE;
    size_t least = least_of(up == vp && un == vn);
    if (un + vn < least || !sharding_is_allowed())
        return OUTCOME_NONE;
    signal_guard_begin(&guard);
    if (sharding_begin()) {
        outcome = shard(rp, up, un, vp, vn, least, device);
        sharding_end();
    }
    signal_guard_end(&guard);
    return outcome;
}

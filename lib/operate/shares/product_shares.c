/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One product on several devices, each of which computes a share.
 *
 * Each device computes its product. Then each checks it, and adds the other devices' parts of the
 * words that it delivers. Between steps all shares wait, in threads of the program's side: a device
 * never waits for another, and no stream is held during the wait.
 *
 * The residues of the products are proven, and determine the residue of the whole. The residue of
 * the delivered words is computed anew, so copies, sums and carries are checked, too.
 *
 * If devices copy from one another and the shorter operand is long, each may upload a part of it
 * first.  It copies the other parts from the other devices.
 *
 * Only one product at a time is shared. Its threads take a device's locks only as any call does. */
#include "lib/operate/shares/product_shares.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/multiply/ntt_plan.h"
#include "lib/operate/shares/product_steps.h"
#include "lib/operate/shares/sharing.h"
#include "lib/process/signal_guard.h"
#include "lib/transfer/caller_memory.h"

enum { LIMB_WORDS = 2 };

/* The number of links that a host's memory can serve at once (doc/design/scale.md). */
enum { SHARES_UPLOADING = 4 };

/* ---- how many shares: two from `least` limbs up, one more per further least / 2 */

/* A square needs fewer transforms on one device, but not in shares. So its threshold is twice as
 * high. */
static size_t least_of(bool is_square) {
    size_t least = sharing_limbs();
    return is_square && least <= MPGPU_NEVER / 2 ? 2 * least : least;
}

/* Returns the number of shares. Without copies between devices, parts go through the result's
 * memory, which has room for one. */
static unsigned count_shares(struct shared *s, size_t limbs, size_t least, bool *peers) {
    size_t each = least / 2, pay = limbs / (each ? each : 1);
    unsigned count = session_devices_idle(s->device, peers);
    unsigned most = *peers ? PRODUCT_SHARES : 2;
    if (count > most)
        count = most;
    return count > pay ? (unsigned)pay : count;
}

/* ---- after the steps */

static void forget_share(const struct share *h) {
    product_share_forget(h->loan.keeper);
    product_share_forget(h->product.keeper);
}

/* Releases kept memory, unless a device has not answered: it may still read it. */
static void forget(const struct shared *s) {
    for (unsigned i = 0; i < s->cut.shares && !sharing_is_over(); i++)
        forget_share(&s->share[i]);
}

/* Returns the limb of the result at which a carry of share i's sums belongs. */
static size_t place_of_carry(const struct product_cut *c, unsigned i, int side) {
    size_t at;
    product_cut_alone(c, i, &at);
    return side == BELOW ? at : c->at[i + 1];
}

/* {rp + at, ...} += add. Returns the carry out of the result. */
static mp_limb_t carry_on(const struct product_cut *c, mp_limb_t *rp, size_t at, mp_limb_t add) {
    for (; add && at < c->at[c->shares]; at++)
        add = caller_add(rp + at, add);
    return add;
}

/* Adds the carries of all sums on the host. Returns false if one leaves the result. */
static bool carry(const struct shared *s, mp_limb_t *rp) {
    for (unsigned i = 0; i < s->cut.shares; i++)
        for (int side = 0; side < PRODUCT_SUM_SIDES; side++)
            if (carry_on(&s->cut, rp, place_of_carry(&s->cut, i, side),
                         s->share[i].sum.carry[side]))
                return false;
    return true;
}

/* Returns B^at x modulo q, B = 2^64. */
static uint64_t moved(uint64_t x, size_t at, struct check_modulus q) {
    return modulus_mul(x % q.m, modulus_residue_of_power(at * LIMB_WORDS, q), q);
}

/* Returns true if all shares had the same v, and the delivered words have the residue of the
 * products' sum. */
static bool is_right(const struct shared *s) {
    struct check_modulus q = tables_check_modulus();
    uint64_t result = 0, products = 0;
    for (unsigned i = 1; i < s->cut.shares; i++)
        if (s->share[i].product.residue_of_v != s->share[0].product.residue_of_v)
            return false;
    for (unsigned i = 0; i < s->cut.shares; i++) {
        const struct share *h = &s->share[i];
        result = (result + moved(h->sum.residue, s->cut.at[i], q)) % q.m;
        for (int side = 0; side < PRODUCT_SUM_SIDES; side++)
            result =
                (result + moved(h->sum.carry[side], place_of_carry(&s->cut, i, side), q)) % q.m;
        products = (products + moved(h->sum.residue_of_product, s->cut.from[i], q)) % q.m;
    }
    return result == products;
}

/* If the sum is wrong, the faulty device is unknown. After several wrong sums, sharing ends. */
static enum outcome judge(const struct shared *s, mp_limb_t *rp) {
    if ((mpgpu_conf.verify == VERIFY_OFF || is_right(s)) && carry(s, rp))
        return OUTCOME_DONE;
    mpgpu_log(LOG_WARNING, "wrong sum of %u devices' shares of a product", s->cut.shares);
    sharing_count_wrong();
    return OUTCOME_FAILED;
}

/* Returns true if each device uploads a part of the shorter operand for all. Not for a product in
 * parts, whose operands are uploaded while the device works: it would only get an extra step. */
static bool lends(const struct shared *s, bool peers) {
    bool is_in_parts = product_cut_limbs(&s->cut, 0) > (size_t)1 << NTT_MAX_LOG;
    return peers && s->cut.vn >= sharing_limbs() &&
           (!is_in_parts || s->cut.shares > SHARES_UPLOADING);
}

static enum outcome multiply(struct shared *s, mp_limb_t *rp, bool peers, int *device) {
    enum outcome outcome = OUTCOME_DONE;
    bool is_lent = lends(s, peers);
    if (is_lent)
        outcome = product_step(s, PRODUCT_LEND, device);
    if (is_lent && outcome == OUTCOME_DONE)
        product_steps_borrow(s);
    if (outcome == OUTCOME_DONE)
        outcome = product_step(s, PRODUCT_MULTIPLY, device);
    if (outcome == OUTCOME_DONE) {
        product_steps_add(s, rp);
        outcome = product_step(s, PRODUCT_ADD, device);
    }
    forget(s);
    return outcome == OUTCOME_DONE ? judge(s, rp) : outcome;
}

static enum outcome share(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                          size_t vn, size_t least, int *device) {
    struct shared s = {0};
    bool peers;
    unsigned count = count_shares(&s, un + vn, least, &peers);
    if (count < 2 || !product_cut_init(&s.cut, un, vn, count))
        return OUTCOME_NONE;
    product_steps_begin(&s, rp, up, un, vp, peers);
    enum outcome outcome = multiply(&s, rp, peers, device);
    if (outcome == OUTCOME_DONE)
        stats_here()->ways[s.share[0].product.way]++;
    mpgpu_log(LOG_DETAIL, "a product of %zu by %zu limbs on %u devices: %s", un, vn, count,
              outcome == OUTCOME_DONE ? "done" : "not done");
    return outcome;
}

enum outcome product_in_shares(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                               size_t vn, int *device) {
    struct signal_guard guard;
    enum outcome outcome = OUTCOME_NONE;
    size_t least = least_of(up == vp && un == vn);
    if (un + vn < least || !sharing_is_allowed())
        return OUTCOME_NONE;
    signal_guard_begin(&guard);
    if (sharing_begin()) {
        outcome = share(rp, up, un, vp, vn, least, device);
        sharing_end();
    }
    signal_guard_end(&guard);
    return outcome;
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies between two devices that compute one composite operation. Long operands are in the buffer
 * SLOT_BROADCAST, one after another. The check finds a wrong copy, because its residue differs from
 * the operand's recorded residue (lib/calc/calc_check.h). */
#include "lib/calc/calc_broadcast.h"

#include "lib/calc/calc_head.h"
#include "lib/device/uploads.h"

enum { ALIGNMENT = 32 }; /* words in a line of the device's memory; each number begins at a line */

static size_t bytes_of(uint64_t words) {
    return (size_t)words * sizeof(uint32_t);
}

static bool is_long(const struct calc *c, uint64_t words) {
    return c->pair && words >= c->pair->broadcast && words >= 2 * ALIGNMENT;
}

void calc_exchange_offers(struct calc *c, struct number mine, struct number theirs,
                          struct calc_offer *other) {
    struct calc_offer offer = {c->s->dev.impl, mine};
    if (!calc_is_on(c))
        return;
    c->is_alone = !calc_shard_exchange(c->pair, c->half, &offer, other) ||
                  other->x.at != theirs.at || other->x.words != theirs.words;
    if (c->is_alone)
        c->status = GPU_ABSENT;
}

void calc_exchange(struct calc *c, struct number x, struct number mine, struct number theirs) {
    struct calc_offer other;
    calc_exchange_offers(c, mine, theirs, &other);
    if (calc_is_on(c))
        c->status = gpu_peer_copy(&c->s->queue, x.mem, bytes_of(x.at), other.device, other.x.mem,
                                  bytes_of(other.x.at), bytes_of(x.words));
}

/* Takes memory for an operand. Clears the words behind a long operand, up to the end of its last
 * memory line of ALIGNMENT words. */
struct number calc_broadcast_take(struct calc *c, uint64_t words, uint64_t limbs) {
    struct number x = {c->s->slot[SLOT_BROADCAST].mem, c->broadcast, words};
    if (!is_long(c, 2 * limbs))
        return calc_take(c, words);
    c->broadcast += (words + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!c->is_planning && number_bytes(c->broadcast) > c->s->slot[SLOT_BROADCAST].bytes &&
        c->status == GPU_OK)
        /* The computing run needs more memory than the planning run: the two runs differ. */
        c->status = GPU_FAILED;
    calc_zero(c, (struct number){x.mem, x.at + words, c->broadcast - x.at - words});
    return x;
}

enum gpu_status calc_broadcast_alloc(struct calc *c) {
    gpu_mem unused;
    if (c->offered == 0)
        return GPU_ABSENT;
    enum gpu_status status =
        context_buffer(c->s, SLOT_SHARD, 3 * number_bytes(c->offered), &unused);
    if (status == GPU_OK && c->broadcast > 0)
        status = context_buffer(c->s, SLOT_BROADCAST, number_bytes(c->broadcast), &unused);
    if (status == GPU_OK)
        calc_shard_keep(c->pair, c->half, c->s);
    return status;
}

static struct upload part_of(const struct upload *piece, uint64_t from, uint64_t words) {
    const uint32_t *host = piece->host;
    return (struct upload){piece->mem, piece->at + from, words, 0, host + from, false};
}

static struct number number_of(const struct upload *part) {
    return (struct number){part->mem, part->at, part->words};
}

static bool is_broadcast(const struct calc *c, const struct upload *piece) {
    return piece->mem.h == c->s->slot[SLOT_BROADCAST].mem.h && is_long(c, piece->words);
}

static struct upload half_of(const struct upload *piece, unsigned half) {
    uint64_t cut = piece->words / 2 / ALIGNMENT * ALIGNMENT;
    return half == 0 ? part_of(piece, 0, cut) : part_of(piece, cut, piece->words - cut);
}

/* Begins to upload this device's halves of long operands early, because the host's thread will
 * often wait for the other device later. Uploads short operands first; otherwise they would wait
 * behind the halves. */
static void bring_ahead(struct calc *c) {
    for (unsigned i = 0; i < c->s->upload_count && calc_is_on(c); i++)
        if (!is_broadcast(c, &c->s->upload[i]))
            c->status = uploads_wait(c->s, number_of(&c->s->upload[i]));
    for (unsigned i = 0; i < c->s->upload_count && calc_is_on(c); i++) {
        struct upload *piece = &c->s->upload[i], mine = half_of(piece, c->half);
        if (is_broadcast(c, piece) && piece->here == 0 && !piece->half_begun)
            c->status = uploads_begin(c->s, &mine, &piece->half_begun);
    }
}

/* Uploads one half of a long operand by this device's link, and copies the other half from the
 * other device. */
static void bring_half(struct calc *c, const struct upload *piece) {
    struct upload mine = half_of(piece, c->half), theirs = half_of(piece, !c->half);
    c->status = piece->half_begun ? uploads_end(c->s) : uploads_bring(c->s, &mine);
    if (c->status == GPU_OK)
        c->status = gpu_finish(&c->s->queue);
    calc_exchange(c, number_of(&theirs), number_of(&mine), number_of(&theirs));
    bring_ahead(c);
}

void calc_broadcast_need(struct calc *c, struct number x) {
    struct upload piece;
    while (calc_is_on(c) && uploads_next(c->s, x, &piece))
        if (is_broadcast(c, &piece))
            bring_half(c, &piece);
        else
            c->status = uploads_bring(c->s, &piece);
}

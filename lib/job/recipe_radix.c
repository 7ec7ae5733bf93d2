/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipes (functions that compute a job on the device) of radix conversion: from a number to
 * text, and from text to a number. The check computes the text's residue digit by digit from its
 * bytes, and compares it with the number's residue. It also verifies that each character is a
 * digit. So it covers all steps of the conversion. With verify:device the device computes this
 * check, with verify:residue the host. */
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_radix.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/job.h"
#include "lib/selftest/selftest.h"

enum { LIMB = 8 }; /* bytes */

static void test(struct calc *c) {
    if (c->is_planning && c->status == GPU_OK)
        c->status = selftest_radix(c->s);
}

/* ---- from a number to a text */

/* Downloads the text. It has the length of the result, or one digit less: then the highest computed
 * digit is 0, and the download omits it. */
static void deliver_text(struct calc *c, struct job *j, const struct calc_text *text) {
    struct job_ref *r = &j->r[0];
    unsigned char highest = 0;
    const bool may_be_shorter = j->parameter[JOB_LEAST] < r->n;
    if (may_be_shorter)
        calc_download_bytes(c, &highest, text->bytes, 0, 1);
    const bool is_shorter = may_be_shorter && highest == text_character(0, text->characters);
    j->answer = is_shorter ? JOB_IS_SHORTER : 0;
    r->delivered = r->n - is_shorter;
    calc_download_bytes(c, r->host, text->bytes, is_shorter, r->delivered);
}

void recipe_get_str(struct calc *c, struct job *j) {
    const struct job_ref *r = &j->r[0];
    const uint64_t power_bits = j->parameter[JOB_POWER_BITS];
    const struct calc_cut cut = job_cut(j, r);
    struct number power[CALC_RADIX_LEVELS + 1];
    struct calc_text text = {
        .n = r->n, .whole = r->n, .characters = (uint32_t)j->parameter[JOB_CHARACTERS]};
    test(c);
    struct number leaf = job_first(c, &j->u[JOB_LEAF]);
    struct number first = job_first(c, &j->u[JOB_FIRST_OF_POWER]);
    struct number u = job_operand(c, &j->u[0], calc_words(power_bits));
    text.bytes = calc_take(c, calc_words(8 * r->n));
    calc_radix_powers(c, &cut, power, leaf);
    struct number f = calc_radix_fraction(c, &cut, u, power[cut.levels], power_bits, first);
    calc_radix_get(c, &cut, power, &text, f);
    deliver_text(c, j, &text);
    calc_text_demand(c, &cut, &text, u, number_part(u, 0, 0));
}

/* ---- from a text to a number */

/* Uploads the text's whole limbs. The last 0 to 7 characters are passed as a kernel argument. */
static struct calc_text text_of(struct calc *c, const struct job *j) {
    const struct job_ref *u = &j->u[0];
    const uint64_t limbs = u->n / LIMB;
    struct calc_text text = {.n = u->n,
                             .whole = LIMB * limbs,
                             .tail = j->parameter[JOB_TAIL],
                             .characters = (uint32_t)j->parameter[JOB_CHARACTERS]};
    text.bytes = calc_operand(c, u->host, limbs, calc_words(64 * limbs));
    return text;
}

/* Returns true if all characters are digits. A residue cannot detect a wrong character. So the
 * conversion and the check each set a flag for a wrong character, and the flags must be equal. */
static bool is_number(struct calc *c, struct number wrong) {
    uint32_t is_wrong[2] = {0, 0};
    calc_download(c, is_wrong, wrong, 1);
    if (mpgpu_conf.verify == VERIFY_DEVICE && c->status == GPU_OK && is_wrong[0] != is_wrong[1])
        c->status = GPU_FAILED;
    return !is_wrong[0];
}

void recipe_set_str(struct calc *c, struct job *j) {
    const struct calc_cut cut = job_cut(j, &j->u[0]);
    struct number power[CALC_RADIX_LEVELS + 1];
    test(c);
    struct number leaf = job_first(c, &j->u[JOB_LEAF]);
    struct calc_text text = text_of(c, j);
    struct number wrong = calc_take(c, CALC_QUAD);
    /* the powers of the base, except the highest one, which no step of the conversion needs */
    struct calc_cut below = cut;
    below.levels -= below.levels > 0;
    calc_zero(c, wrong);
    calc_radix_powers(c, &below, power, leaf);
    struct number r = calc_radix_set(c, &cut, power, &text, wrong);
    /* begins a new series of launches, which cannot be repeated: the text's last characters are an
     * argument that differs in each call */
    calc_series(c);
    calc_text_demand(c, &cut, &text, r, number_part(wrong, 1, 1));
    calc_doubt(c, text.bytes);
    j->answer = is_number(c, wrong) ? 0 : JOB_IS_NO_NUMBER;
    if (j->answer == 0)
        job_deliver(c, j, 0, r);
}

/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests SHA-256 against published examples, including the empty message: FIPS 180-2 (appendix B)
 * and NIST's Cryptographic Standards and Guidelines, Examples with Intermediate Values. */
#include <string.h>

#include "gpu/sha256.h"
#include "tests/support/testing.h"

/* Examples: a message and its digest. The hashed text is the message, repeated `times` times. */
static const struct {
    const char *message;
    int times;
    const char *digest;
} examples[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
     "lmnopqrsmnopqrstnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};

static void check_digest(struct sha256 *h, const char *expected) {
    unsigned char digest[SHA256_BYTES];
    char text[2 * SHA256_BYTES + 1];
    sha256_end(h, digest);
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    ck_assert_str_eq(text, expected);
}

START_TEST(published) {
    struct sha256 h;
    sha256_start(&h);
    for (int i = 0; i < examples[_i].times; i++)
        sha256_feed(&h, examples[_i].message, strlen(examples[_i].message));
    check_digest(&h, examples[_i].digest);
}
END_TEST

/* The digest must be the same for each division of the message into two pieces. */
START_TEST(in_pieces) {
    struct sha256 h;
    const char *message = examples[_i].message;
    size_t length = strlen(message);
    for (size_t cut = 0; cut <= length; cut++) {
        sha256_start(&h);
        for (int i = 0; i < examples[_i].times; i++) {
            sha256_feed(&h, message, cut);
            sha256_feed(&h, message + cut, length - cut);
        }
        check_digest(&h, examples[_i].digest);
    }
}
END_TEST

int main(void) {
    const int count = sizeof examples / sizeof *examples;
    return testing_main("sha256", 4, TESTS(LOOP(published, count), LOOP(in_pieces, count)));
}

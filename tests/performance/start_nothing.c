/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program that does nothing and does not use GMP; test_start.sh measures its start. */
int main(void) {
    return 0;
}

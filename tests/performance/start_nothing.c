/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program that does nothing, without GMP. */
int main(void) {
    return 0;
}

#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs SWI-Prolog.  It sets memory functions for GMP that call GMP's previous memory functions.
. "$(dirname "$0")/../support/common.sh"
need_command swipl
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$(command -v swipl)"

cat >"$work/client.pl" <<'TEXT'
show(Name, X) :- L is msb(abs(X) + 1), R is X mod (2^61 - 1), S is X mod (10^40 + 1), writeln([Name, L, R, S]).
fact(L, L, L) :- !.
fact(L, H, F) :- M is (L + H) // 2, K is M + 1, fact(L, M, F1), fact(K, H, F2), F is F1 * F2.
loop(0, C, _, C) :- !.
loop(I, C, B, R) :- D is (C * C) mod (B + I), J is I - 1, loop(J, D, B, R).
run(N) :-
    A is 3^(N // 2) + 2^N, B is 7^(N // 3) - 2^(N // 2), C is 5 * 2^(N // 8) + 1,
    forall(member(Name = E, [product = A * B, square = A * A, unbalanced = A * C, negative = -A * B, sum = A * B + C,
                             quotient = (A * B) // (A + 1), remainder = A rem B, floor = -A div C, power = C^7,
                             'power modulo' = powm(B, 65537, 4 * C + 3), gcd = gcd(C * C, C * (C + 2)),
                             numerator = numerator(A rdiv C + C rdiv (C + 2)), denominator = denominator(B rdiv C)]),
           ( X is E, show(Name, X) )),
    nth_integer_root_and_remainder(2, A, S, R), show(root, S), show(rest, R),
    nth_integer_root_and_remainder(3, A, S3, R3), show('cube root', S3), show(rest, R3),
    F is N // 32, fact(1, F, X1), show(factorial, X1),
    format(atom(Text), "~d", [B]), atom_number(Text, B1), X2 is B1 - B, show(text, X2), atom_length(Text, Length), writeln(Length),
    loop(20, C, B, X3), show(loop, X3).
TEXT
check_client "$small" swipl -q -g 'run(1000)' -t halt "$work/client.pl"
check_client "$large" swipl -q -g 'run(600000)' -t halt "$work/client.pl"

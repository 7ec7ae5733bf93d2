#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs PARI/GP: products, quotients, powers, roots, gcds, factorials, decimal digits.
. "$(dirname "$0")/../support/common.sh"
need_command gp
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$(command -v gp)"

cat >"$work/small.gp" <<'TEXT'
setrand(20261121);
f(x) = { x = abs(x); print(sizedigit(x), " ", x % (2^61 - 1), " ", x % (10^40 + 1)); };
for (i = 1, 6, n = 2^(8 + i); a = random(2^n); b = random(2^(n + 3 * i)); f(a * b); f(a^2); f((a * b) \ a); f(gcd(a * b, a * (b + 1))));
for (i = 1, 6, n = 64 * i; f((2^n - 1) * (2^n + 1)); f((2^n - 1)^2));
f(300!); f(3^3000); f(7^434 * 11^745); f(sqrtint(3^1500)); f(sqrtnint(3^500, 3));
f(lift(Mod(3, 2^521 - 1)^(2^40))); f(fibonacci(6000)); f(binomial(800, 400));
s = Str(7^700); print(s); f(eval(s) - 7^700); f(eval(concat(s, s)));
print(precision(Pi, 100)); default(realprecision, 200); print(exp(1));
print(bernfrac(60)); print(matdet(matrix(5, 5, i, j, 2^(100 + i * j) + i)));
f(100^2000 / (3 * 10^500));
TEXT
cat >"$work/large.gp" <<'TEXT'
setrand(20261121);
f(x) = { x = abs(x); print(sizedigit(x), " ", x % (2^61 - 1), " ", x % (10^40 + 1)); };
a = random(2^4000000); b = random(2^3000000); c = random(2^300000);
f(a * b); f(a^2); f(a * c); f((a * b) \ (a + 1)); f(a % b); f(sqrtint(a)); f(gcd(c^2, c * (c + 2)));
m = c * random(2^100000) + 1; f(lift(Mod(c, m)^(2^12 + 1))); f(lift(1 / Mod(c, m)));
f(200000!); f(7^500000); f(binomial(200000, 100000)); f(fibonacci(1500000));
s = Str(b); f(eval(s) - b); f(#s);
default(realprecision, 200000); print(exp(1)); print(sqrt(2)); print(Pi);
TEXT
check_client "$small" gp -qf -D parisize=256M "$work/small.gp"
check_client "$large" gp -qf -D parisize=256M "$work/large.gp"

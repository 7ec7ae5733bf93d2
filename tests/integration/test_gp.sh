#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Debian's PARI/GP, unmodified, with everything it can send to a device sent
# there: products, factorials, powers, division, roots, decimal conversion.
. "$(dirname "$0")/common.sh"
need_command gp
need_opencl_or_cuda
cat >"$work/script.gp" <<'TEXT'
setrand(20261121);
f(x) = { x = abs(x); print(sizedigit(x), " ", x % (2^61 - 1), " ", x % (10^40 + 1)); };
for (i = 1, 10, n = 2^(8 + i); a = random(2^n); b = random(2^(n + 3 * i)); f(a * b); f(a^2); f((a * b) \ a); f(gcd(a * b, a * (b + 1))));
for (i = 1, 16, n = 64 * i; f((2^n - 1) * (2^n + 1)); f((2^n - 1)^2));
f(3000!); f(3^20000); f(7^4345 * 11^7456);
f(sqrtint(3^15000)); f(sqrtnint(3^5000, 3)); f(lift(Mod(3, 2^4423 - 1)^(2^40)));
f(fibonacci(60000)); f(binomial(8000, 4000));
f(random(2^600000) * random(2^600000)); s = Str(7^7000); print(s); f(eval(s) - 7^7000); f(eval(concat(s, s)));
print(precision(Pi, 1000)); default(realprecision, 1000); print(exp(1));
print(bernfrac(100)); print(matdet(matrix(8, 8, i, j, 2^(100 + i * j) + i)));
TEXT
LC_ALL=C gp -qf "$work/script.gp" </dev/null >"$work/gmp" 2>&1
grep -q '\*\*\*' "$work/gmp" && fail "gp does not like the script: $(grep '\*\*\*' "$work/gmp")"
for backend in $(backends); do
    LC_ALL=C "$run" --backend "$backend" --wait --threshold 1 --stats --conf add:1 \
        gp -qf "$work/script.gp" </dev/null >"$work/$backend" 2>"$work/stats"
    cat "$work/stats"
    same "$work/gmp" "$work/$backend"
    [ "$(sent "$work/stats")" -gt 0 ] || fail "$backend: nothing was sent"
done

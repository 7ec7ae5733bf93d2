#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs GAP, a computer algebra system whose large integers are GMP's.
. "$(dirname "$0")/../support/common.sh"
need_command gap
. "$(dirname "$0")/clients.sh"
need_shared_gmp "$(ls /usr/lib/*/gap/gap /usr/lib/gap/gap 2>/dev/null | head -n 1)"

cat >"$work/common.g" <<'TEXT'
show := function(name, x)
  Print(name, " ", Log2Int(AbsInt(x) + 1), " ", x mod (2^61 - 1), " ", x mod (10^40 + 1), "\n");
end;
run := function(n)
  local a, b, c, s;
  a := 3^Int(n / 2) + 2^n; b := 7^Int(n / 3) - 2^Int(n / 2); c := 2^Int(n / 8) * 5 + 1;
  show("product", a * b); show("square", a * a); show("unbalanced", a * c); show("negative", -a * b);
  show("quotient", QuoInt(a * b, a + 1)); show("remainder", a mod b);
  show("power", c^7); show("power modulo", PowerModInt(b, 2^12 + 1, c)); show("inverse", c^-1 mod (c * b + 1));
  show("root", RootInt(a, 2)); show("gcd", Gcd(c * a, c * b)); show("factorial", Factorial(Int(n / 32)));
  show("binomial", Binomial(Int(n / 64), Int(n / 128))); show("fibonacci", Fibonacci(Int(n / 4)));
  s := String(a); show("text", Int(s) - a); Print(Length(s), " ", s{[1 .. 60]}, "\n");
  show("numerator", NumeratorRat(a / c * b / (c + 2)));
end;
TEXT
{ cat "$work/common.g" && echo 'run(1000); QUIT;'; } >"$work/small.g"
{ cat "$work/common.g" && echo 'run(1200000); QUIT;'; } >"$work/large.g"
check_client "$small" gap -q -A -r --norepl "$work/small.g"
check_client "$large" gap -q -A -r --norepl "$work/large.g"

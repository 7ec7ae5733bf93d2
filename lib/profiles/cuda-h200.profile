# Measured by mpgpu-tune on 2026-11-21, 14:10 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot
# be intercepted; 16 CPUs, PCIe 5 x16, driver 580.  Algorithms by size are left to lib/product.c.
# mul, sqr and mulmod are from doc/small.md, which came later; the others follow from the same
# sizes in limbs as before.
backend: cuda
device: NVIDIA H200
mul: 350
sqr: 450
mulmod: 700
add: 2359296
div: 3.3
powm: 2
sqrt: 6.6
pow: 5.2
fib: 3.5
get_str: 16.2
set_str: 32.3

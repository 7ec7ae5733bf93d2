# Measured by mpgpu-tune with --quick on 2026-11-21, 15:31 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot
# be intercepted; 16 CPUs, PCIe 5 x16, driver 580.  Algorithms by size are left to lib/product.c.
# mul, sqr and mulmod are from another such run at 17:56, since a copy's end is told sooner.
# add is from a run at 14:10, with operands in ordinary memory; in the pool it gained sooner.
backend: opencl
device: NVIDIA H200
mul: 381
sqr: 511
mulmod: 766
add: 2359296
div: 2
powm: 1.5
sqrt: 4.1
pow: 2.3
fib: 1.4
fac: 12.1
root: 4.7
get_str: 7.4
set_str: 12.1

# Measured by mpgpu-tune on 2026-11-21, 14:10 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot
# be intercepted; 16 CPUs, PCIe 5 x16, driver 580.  Algorithms by size are left to lib/product.c.
backend: cuda
device: NVIDIA H200
mul: 576
sqr: 640
mulmod: 1408
add: 2359296
div: 2
powm: 1.2
sqrt: 4
pow: 3.6
fib: 2.4
get_str: 9.8
set_str: 19.6

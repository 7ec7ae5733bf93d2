# Measured by mpgpu-tune on 2026-11-21, 23:39 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot be
# intercepted; 32 CPUs, PCIe 5 x16, driver 580, with tests on the machine's other GPU.
# ssa took 1.08 to 1.78 times as long as ntt at 63 sizes from 128 to 2^22 limbs.
# add is from a run at 14:10, with operands in ordinary memory; in the pool it gained sooner.
# gmp_mul is from another run on this machine's host, the larger gmp_div, too; gmp_sqr is 0.7 and the
# smaller gmp_div 2.5 products: to be replaced by mpgpu-tune's.
backend: opencl
device: NVIDIA H200
cpu: no
mul: 576
sqr: 576
mulmod: 1024
add: 2359296
batch: 16384
div: 2
powm: 1
sqrt: 4
pow: 3.2
fib: 3.4
fac: 13.4
root: 3.6
gcd: 8
get_str: 7.2
set_str: 14.3
algorithm: 1 block
algorithm: 5120 ntt
gmp_mul: 256 13700
gmp_mul: 512 36600
gmp_mul: 1024 99600
gmp_mul: 2048 260000
gmp_mul: 4096 687000
gmp_mul: 16384 3050000
gmp_mul: 65536 16500000
gmp_mul: 262144 84300000
gmp_sqr: 256 9590
gmp_sqr: 512 25620
gmp_sqr: 1024 69720
gmp_sqr: 2048 182000
gmp_sqr: 4096 480900
gmp_sqr: 16384 2135000
gmp_sqr: 65536 11550000
gmp_sqr: 262144 59010000
gmp_div: 256 34250
gmp_div: 512 91500
gmp_div: 1024 249000
gmp_div: 2048 650000
gmp_div: 4096 1717500
gmp_div: 16384 7625000
gmp_div: 65536 41250000
gmp_div: 156250 112000000
gmp_div: 1562500 1602000000

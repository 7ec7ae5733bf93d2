# Measured by mpgpu-tune on 2026-11-21, 23:39 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot be
# intercepted; 32 CPUs, PCIe 5 x16, driver 580, with tests on the machine's other GPU.
# ssa took 1.08 to 1.78 times as long as ntt at 63 sizes from 128 to 2^22 limbs.
# add is from a run at 14:10, with operands in ordinary memory; in the pool it gained sooner.
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

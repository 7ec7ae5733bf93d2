# Measured by mpgpu-tune on 2026-11-21, 23:39 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot be
# intercepted; 32 CPUs, PCIe 5 x16, driver 580, with tests on the machine's other GPU.
# ssa took 1.08 to 1.78 times as long as ntt at 63 sizes from 128 to 2^22 limbs.
# add is from a run at 14:10, with operands in ordinary memory; in the pool it gained sooner.
# gmp_mul, gmp_sqr and gmp_div are from a run on 2026-11-22, 23:27, on one thread of that host.
# It is for the H100, too, which has the same chip: no other was tuned.
backend: opencl
device: NVIDIA H
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
mulmod_other_algorithm: 1 ntt
mulmod_other_algorithm: 16384 fft
gmp_mul: 64 2572
gmp_mul: 128 7727
gmp_mul: 256 13815
gmp_mul: 512 38068
gmp_mul: 1024 103777
gmp_mul: 2048 271983
gmp_mul: 4096 708115
gmp_mul: 16384 3184760
gmp_mul: 65536 16408927
gmp_mul: 262144 84152765
gmp_mul: 1048576 461589795
gmp_sqr: 64 1138
gmp_sqr: 128 3220
gmp_sqr: 256 9883
gmp_sqr: 512 29305
gmp_sqr: 1024 73711
gmp_sqr: 2048 195362
gmp_sqr: 4096 555602
gmp_sqr: 16384 2162538
gmp_sqr: 65536 10440968
gmp_sqr: 262144 57045137
gmp_sqr: 1048576 334817611
gmp_div: 64 2483
gmp_div: 128 8432
gmp_div: 256 29574
gmp_div: 512 77813
gmp_div: 1024 213546
gmp_div: 2048 550863
gmp_div: 4096 1361344
gmp_div: 16384 8451217
gmp_div: 65536 39292439
gmp_div: 262144 193718297
gmp_div: 1048576 1124204176

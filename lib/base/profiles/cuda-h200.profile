# Measured by mpgpu-tune on 2026-11-21, 15:31 UTC, on Ubuntu's GMP 6.3.0, whose inner calls cannot
# be intercepted; 16 CPUs, PCIe 5 x16, driver 580.  Algorithms are from a run at 23:13, with tests on the machine's
# other GPU: ssa took 1.16 to 1.71 times as long as ntt at 63 sizes from 128 to 2^22 limbs.
# block then ended at 4096 limbs, and ends at 6144 now.
# add is from a run at 14:10, with operands in ordinary memory; in the pool it gained sooner.
# gcd is from a run at 17:20: 1.0 to 1.1 times GMP's speed from 2100 to 4000 limbs.
# batch is OpenCL's, whose calls take longer: CUDA's was not found by itself.
# get_str and set_str are from runs of tests/performance/operations on 2026-11-23, 03:33, whose conversions
# went wholly to the device: at 65536 bits 0.87 and 0.61 times GMP's speed, at 131072 1.96 and 1.42 times.
# gmp_mul, gmp_sqr and gmp_div are from a run on 2026-11-22, 23:27, on one thread of that host.
# It is for the H100, too, which has the same chip: no other was tuned.
backend: cuda
device: NVIDIA H
cpu: no
mul: 256
sqr: 416
mulmod: 832
add: 2359296
batch: 16384
div: 2.8
powm: 1.7
sqrt: 5.5
pow: 3.4
fib: 2.8
fac: 12
root: 5.5
gcd: 10
get_str: 4.5
set_str: 6
algorithm: 1 block
algorithm: 6145 ntt
mulmod_algorithm: 1 block
mulmod_algorithm: 5120 ntt
mulmod_other_algorithm: 1 ntt
mulmod_other_algorithm: 32768 fft
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

# A CPU under OpenCL.  PoCL 3.1 on 2 cores, beside GMP on one of them, on 2026-11-21: 0.55 times as
# fast at 2^18 bits, 0.9 at 2^19, 0.65 at 2^20; about even or better from 2^22 bits on, with other
# work on the machine.  What it gains it takes from cores that the program may want: nothing
# is sent unless mpgpu-tune or an option says from where.  ssa takes 1.4 to 11 times as long as ntt
# (doc/measurements/ssa.md); fft wins round 2^16 bits (doc/measurements/fft_product.md).
backend: opencl
cpu: yes
mul: never
sqr: never
mulmod: never
add: never
batch: never

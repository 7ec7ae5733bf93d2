# Measured by mpgpu-tune on 2026-11-21, 14:10 UTC, beside cuda-h200.profile.
# mul, sqr and mulmod as in cuda-h200.profile.
backend: opencl
device: NVIDIA H200
mul: 600
sqr: 700
mulmod: 1200
add: 2359296
div: 3.2
powm: 1.8
sqrt: 6.4
pow: 4.4
fib: 4.4
get_str: 12
set_str: 27.4

# Measured by mpgpu-tune on 2026-11-21, 14:10 UTC, beside cuda-h200.profile.
backend: opencl
device: NVIDIA H200
mul: 960
sqr: 1024
mulmod: 1664
add: 2359296
div: 2
powm: 1.1
sqrt: 4
pow: 3
fib: 3
get_str: 7.5
set_str: 17.1

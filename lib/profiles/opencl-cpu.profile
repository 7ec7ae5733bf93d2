# A CPU under OpenCL is no gain over GMP on the same cores.
backend: opencl
cpu: yes
mul: never
sqr: never
mulmod: never
add: never

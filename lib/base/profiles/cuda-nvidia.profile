# Not measured: mul, sqr and mulmod are five to eight times the H200's, batch is four times.
backend: cuda
vendor: NVIDIA
cpu: no
mul: 2000
sqr: 2500
mulmod: 4000
add: never
batch: 65536

# Not measured: mul, sqr and mulmod are seven to nine times the H200's, batch is four times.
backend: opencl
vendor: NVIDIA
cpu: no
mul: 4000
sqr: 5000
mulmod: 8000
add: never
batch: 65536

#!/bin/sh
# mpgpu-bench batch and its variants, for tuning: batch_marks.sh PATH/TO/mpgpu-bench
bench=$1
$bench batch --seconds 0.1
echo "== blocks"; $bench batch --conf algorithm:block --quick 15 15
echo "== transforms"; $bench batch --conf algorithm:ntt --quick 13 14
for mb in 4 12 100 400; do echo "== coefficients in $mb MiB"; B_CHUNK_MB=$mb $bench batch --quick 15 18; done

bad=0
for i in $(seq $1); do
 DF_WORKERS=3 DF_SCHEDULE=record:r.$2 ./$3 > o1.$2 2>e1.$2
 DF_SCHEDULE=replay:r.$2 ./$3 > o2.$2 2>e2.$2
 if [ -s e2.$2 ] || [ -s e1.$2 ]; then bad=$((bad+1)); cat e1.$2 e2.$2; cp r.$2 bad.$2.$bad; fi
done
echo $bad of $1

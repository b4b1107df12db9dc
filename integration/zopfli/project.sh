# zopfli: the slow, best compressor for deflate. Its blocks become the iterations of a loop.
package=zopfli version=1.0.3
prepare() { # contents of several kinds, because zopfli ends a block where the content changes
    for part in 1 2 3; do
        cat docs/*.md | tail -c +$((part * 50000)) | head -c 50000
        cat impl/*/*.h | tail -c +$((part * 50000)) | head -c 50000
        seq $((part * 1000)) $((part * 1000 + 8000))
        awk 'BEGIN { srand(1); for (i = 0; i < 9000; i++) printf "%c", 33 + int(rand() * 90) }'
    done
}
build() { # SOURCES PROGRAM COMPILER [OBJECT]
    $3 -std=gnu89 "$1"/src/zopfli/*.c ${4:-} -o "$2" -pthread -lm
}
execute() { "$1" --i5 -c "$2"; }

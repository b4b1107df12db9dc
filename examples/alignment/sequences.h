/* Protein sequences, from FASTA files or random; the similarity of two amino acids. */
#ifndef ALIGNMENT_SEQUENCES_H
#define ALIGNMENT_SEQUENCES_H

enum { AMINO_ACIDS = 20, LETTERS = AMINO_ACIDS + 1 };   /* the last letter: any other, as X */

/* BLOSUM62 (Henikoff and Henikoff, PNAS 89, 1992), in the order of ARNDCQEGHILKMFPSTWYV; -1 for letters that are not
 * among them. */
extern const signed char similarity[LETTERS][LETTERS];

typedef struct {
    const char *name;
    const unsigned char *letter;   /* each below LETTERS */
    long length;
} sequence;

typedef struct {
    int count;      /* at least 2 */
    sequence *at;
    char *text;     /* where the names and the letters are */
} sequences;

/* Both return NULL, or a message: then there is nothing to be freed. */
const char *sequences_read(sequences *s, const char *file);
const char *sequences_generate(sequences *s);

void sequences_free(sequences *s);

#endif

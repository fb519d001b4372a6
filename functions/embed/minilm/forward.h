#ifndef OMGDB_MINILM_FORWARD_H
#define OMGDB_MINILM_FORWARD_H

#include <stdint.h>

// Shapes of all-MiniLM-L6-v2.
enum { HIDDEN = 384, INNER = 1536, HEADS = 12, HEAD = 32, LAYERS = 6, PANEL = 16 };

// A dense layer's weights, packed: for each panel of PANEL outputs, for each input, PANEL weights.
typedef struct {
	const float *weight;
	const float *bias;
	int in, out;
} dense;

typedef struct {
	dense query, key, value, attention_out, intermediate, output;
	const float *attention_gain, *attention_bias, *output_gain, *output_bias;
} layer;

typedef struct {
	const float *words, *positions, *type;
	const float *gain, *bias;
	layer layers[LAYERS];
} model;

// Floats of working memory that forward needs for n tokens.
int64_t scratch_floats(int n);

// pack rearranges a row-major out × in matrix for the kernels; dst has out*in floats.
void pack(float *dst, const float *src, int in, int out);

// forward runs the n tokens of one text through the model and writes the mean of their final states, scaled to length 1, to out (HIDDEN floats).
void forward(const model *m, const int32_t *ids, int n, float *scratch, float *out);

#endif

// The forward pass of a BERT encoder with the shapes of all-MiniLM-L6-v2 for one text, in float32. The kernels are plain C over GCC vector types;
// target_clones lets the loader choose the widest form that the processor has.
#include "forward.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define CLONES
#endif

typedef float vec __attribute__((vector_size(64), aligned(4), may_alias));

enum { ROWS = 6 };

void pack(float *dst, const float *src, int in, int out) {
	for (int p = 0; p < out; p += PANEL)
		for (int k = 0; k < in; k++)
			for (int j = 0; j < PANEL; j++)
				*dst++ = src[(int64_t)(p + j) * in + k];
}

// matmul: y[n × out] = x[n × in] · wᵀ + b. Panels outside, so that one panel's weights stay in the nearest cache over all tokens.
CLONES static void matmul(const dense *d, const float *x, int n, float *y) {
	const int in = d->in, out = d->out;
	for (int p = 0; p < out; p += PANEL) {
		const vec *w = (const vec *)(d->weight + (int64_t)p * in);
		const vec bias = *(const vec *)(d->bias + p);
		int t = 0;
		for (; t + ROWS <= n; t += ROWS) {
			const float *x0 = x + (int64_t)t * in, *x1 = x0 + in, *x2 = x1 + in, *x3 = x2 + in, *x4 = x3 + in, *x5 = x4 + in;
			vec a0 = bias, a1 = bias, a2 = bias, a3 = bias, a4 = bias, a5 = bias;
			for (int k = 0; k < in; k++) {
				const vec wk = w[k];
				a0 += wk * x0[k];
				a1 += wk * x1[k];
				a2 += wk * x2[k];
				a3 += wk * x3[k];
				a4 += wk * x4[k];
				a5 += wk * x5[k];
			}
			float *o = y + (int64_t)t * out + p;
			*(vec *)o = a0;
			*(vec *)(o + out) = a1;
			*(vec *)(o + 2 * out) = a2;
			*(vec *)(o + 3 * out) = a3;
			*(vec *)(o + 4 * out) = a4;
			*(vec *)(o + 5 * out) = a5;
		}
		for (; t < n; t++) {
			const float *xt = x + (int64_t)t * in;
			vec a = bias, b = {0};
			for (int k = 0; k < in; k += 2) {
				a += w[k] * xt[k];
				b += w[k + 1] * xt[k + 1];
			}
			*(vec *)(y + (int64_t)t * out + p) = a + b;
		}
	}
}

// normalize: each row of x plus residual, to mean 0 and variance 1, then gain and bias.
CLONES static void add_normalize(float *x, const float *residual, int n, const float *gain, const float *bias) {
	for (int t = 0; t < n; t++) {
		float *row = x + (int64_t)t * HIDDEN;
		const float *res = residual + (int64_t)t * HIDDEN;
		float sum = 0, square = 0;
		for (int i = 0; i < HIDDEN; i++) {
			row[i] += res[i];
			sum += row[i];
		}
		const float mean = sum / HIDDEN;
		for (int i = 0; i < HIDDEN; i++) {
			row[i] -= mean;
			square += row[i] * row[i];
		}
		const float scale = 1.0f / sqrtf(square / HIDDEN + 1e-12f);
		for (int i = 0; i < HIDDEN; i++)
			row[i] = row[i] * scale * gain[i] + bias[i];
	}
}

static void gelu(float *x, int64_t n) {
	for (int64_t i = 0; i < n; i++)
		x[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));
}

static void softmax(float *row, int n) {
	float top = row[0], sum = 0;
	for (int i = 1; i < n; i++)
		if (row[i] > top)
			top = row[i];
	for (int i = 0; i < n; i++) {
		row[i] = expf(row[i] - top);
		sum += row[i];
	}
	const float scale = 1.0f / sum;
	for (int i = 0; i < n; i++)
		row[i] *= scale;
}

// attention: out[n × HIDDEN] from queries, keys and values; row has room for n floats.
CLONES static void attention(const float *q, const float *k, const float *v, int n, float *row, float *out) {
	const float scale = 0.17677669529663687f; // 1/sqrt(HEAD)
	for (int h = 0; h < HEADS; h++) {
		const int at = h * HEAD;
		for (int t = 0; t < n; t++) {
			const vec *qt = (const vec *)(q + (int64_t)t * HIDDEN + at);
			const vec q0 = qt[0] * scale, q1 = qt[1] * scale;
			for (int s = 0; s < n; s++) {
				const vec *ks = (const vec *)(k + (int64_t)s * HIDDEN + at);
				const vec p = q0 * ks[0] + q1 * ks[1];
				float dot = 0;
				for (int i = 0; i < PANEL; i++)
					dot += p[i];
				row[s] = dot;
			}
			softmax(row, n);
			vec a0 = {0}, a1 = {0};
			for (int s = 0; s < n; s++) {
				const vec *vs = (const vec *)(v + (int64_t)s * HIDDEN + at);
				a0 += vs[0] * row[s];
				a1 += vs[1] * row[s];
			}
			vec *o = (vec *)(out + (int64_t)t * HIDDEN + at);
			o[0] = a0;
			o[1] = a1;
		}
	}
}

int64_t scratch_floats(int n) { return (int64_t)n * (5 * HIDDEN + INNER) + n; }

void forward(const model *m, const int32_t *ids, int n, float *scratch, float *out) {
	float *x = scratch, *q = x + (int64_t)n * HIDDEN, *k = q + (int64_t)n * HIDDEN, *v = k + (int64_t)n * HIDDEN;
	float *y = v + (int64_t)n * HIDDEN, *inner = y + (int64_t)n * HIDDEN, *row = inner + (int64_t)n * INNER;
	for (int t = 0; t < n; t++) {
		const float *word = m->words + (int64_t)ids[t] * HIDDEN, *position = m->positions + (int64_t)t * HIDDEN;
		for (int i = 0; i < HIDDEN; i++) {
			x[(int64_t)t * HIDDEN + i] = word[i] + m->type[i];
			y[(int64_t)t * HIDDEN + i] = position[i];
		}
	}
	add_normalize(x, y, n, m->gain, m->bias);
	for (int l = 0; l < LAYERS; l++) {
		const layer *ly = &m->layers[l];
		matmul(&ly->query, x, n, q);
		matmul(&ly->key, x, n, k);
		matmul(&ly->value, x, n, v);
		attention(q, k, v, n, row, y);
		matmul(&ly->attention_out, y, n, q);
		add_normalize(q, x, n, ly->attention_gain, ly->attention_bias);
		matmul(&ly->intermediate, q, n, inner);
		gelu(inner, (int64_t)n * INNER);
		matmul(&ly->output, inner, n, x);
		add_normalize(x, q, n, ly->output_gain, ly->output_bias);
	}
	memset(out, 0, HIDDEN * sizeof(float));
	for (int t = 0; t < n; t++)
		for (int i = 0; i < HIDDEN; i++)
			out[i] += x[(int64_t)t * HIDDEN + i];
	double square = 0;
	for (int i = 0; i < HIDDEN; i++)
		square += (double)out[i] * out[i];
	const float scale = square > 0 ? (float)(1 / sqrt(square)) : 0;
	for (int i = 0; i < HIDDEN; i++)
		out[i] *= scale;
}

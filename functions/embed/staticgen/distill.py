#!/usr/bin/env python3
"""Distil static word-piece vectors from all-MiniLM-L6-v2 (numpy, scipy, onnxruntime, tokenizers).

    distill.py --model all-minilm-l6-v2.onnx --tokenizer tokenizer.json --corpus corpus.json --out static.ose

1. Teacher: each vocabulary piece alone through the model ([CLS] piece [SEP], mean pooled) is the prior of its vector.
2. Weights: SIF a/(a+p), p half from the corpus counts and half from Zipf's law over the vocabulary's rank.
3. Refit: ridge regression (towards the prior) of the piece vectors so that the weighted mean of a text's pieces predicts the model's
   embedding of the text.
4. PCA to --dim; each principal axis divided by its variance to the power --whiten, which flattens the spectrum.
5. The weight is folded into the vector; rows are quantised to int8 with a float32 scale each.
A text's embedding is then the plain sum of its pieces' vectors, normalised.
"""
import argparse
import hashlib
import json
import os
import struct

import numpy as np
import onnxruntime as ort
from scipy.sparse import csr_matrix, diags
from tokenizers import Tokenizer

CLS, SEP = 101, 102
SPECIAL = 104  # ids below are unused slots and specials, [UNK] = 100 among them
SIF_A = 1e-4


class Teacher:
    """MiniLM with masked mean pooling."""

    def __init__(self, path, threads):
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def run(self, ids, mask):
        hidden = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
        m = mask[:, :, None].astype("f4")
        return (hidden * m).sum(1) / m.sum(1)

    def pieces(self, vocab, batch=512):
        out = np.zeros((vocab, 384), "f4")
        for i in range(0, vocab, batch):
            t = np.arange(i, min(vocab, i + batch))
            ids = np.stack([np.full_like(t, CLS), t, np.full_like(t, SEP)], 1).astype("i8")
            out[i:i + len(t)] = self.run(ids, np.ones_like(ids))
        return out

    def texts(self, ids, batch=32):
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = np.zeros((len(ids), 384), "f4")
        for i in range(0, len(order), batch):
            part = order[i:i + batch]
            width = len(ids[part[-1]])
            a = np.zeros((len(part), width), "i8")
            mask = np.zeros_like(a)
            for row, k in enumerate(part):
                a[row, :len(ids[k])] = ids[k]
                mask[row, :len(ids[k])] = 1
            e = self.run(a, mask)
            out[part] = e / np.linalg.norm(e, axis=1, keepdims=True)
        return out


def cached(path, make):
    if os.path.exists(path):
        return np.load(path)
    x = make()
    np.save(path, x)
    return x


def zipf(vocab):
    p = 1 / np.arange(2, vocab + 2)
    return p / p.sum()


def refit(prior, target, bodies, weights, ridge):
    """Piece vectors G that minimise |A G - target|^2 + ridge |G - c prior|^2, A being the normalised weighted piece counts."""
    rows = np.repeat(np.arange(len(bodies)), [len(b) for b in bodies])
    cols = np.concatenate([np.array(b, int) for b in bodies])
    counts = csr_matrix((weights[cols], (rows, cols)), shape=(len(bodies), len(prior)))
    norms = np.maximum(np.linalg.norm(counts @ prior, axis=1), 1e-6)
    a = diags(1 / norms) @ counts
    z = a @ prior
    c = float((z * target).sum() / (z * z).sum())
    delta = np.zeros_like(prior)
    r = a.T @ (target - c * z)
    d, rs = r.copy(), (r * r).sum(0)
    for _ in range(40):  # conjugate gradients, a system per column
        ad = a.T @ (a @ d) + ridge * d
        step = rs / np.maximum((d * ad).sum(0), 1e-12)
        delta += step * d
        r -= step * ad
        rn = (r * r).sum(0)
        if rn.max() < 1e-6:
            break
        d = r + (rn / np.maximum(rs, 1e-12)) * d
        rs = rn
    g = c * prior + delta
    return g, a @ g


def principal_axes(x, dim):
    values, vectors = np.linalg.eigh(np.cov((x - x.mean(0)).T))
    return vectors[:, ::-1][:, :dim].astype("f4")


def write(path, e):
    """'OSE1', uint32 rows, uint32 dim, rows float32 scales, rows*dim int8; little-endian, row-major."""
    scale = np.abs(e).max(1) / 127
    scale[scale == 0] = 1
    q = np.clip(np.rint(e / scale[:, None]), -127, 127).astype("i1")
    with open(path, "wb") as f:
        f.write(b"OSE1" + struct.pack("<II", *e.shape) + scale.astype("<f4").tobytes() + q.tobytes())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", required=True)
    ap.add_argument("--tokenizer", required=True)
    ap.add_argument("--corpus", required=True)
    ap.add_argument("--out", default="static.ose")
    ap.add_argument("--dim", type=int, default=256)
    ap.add_argument("--ridge", type=float, default=0.3)
    ap.add_argument("--whiten", type=float, default=0.3)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--cache", default=".")
    args = ap.parse_args()

    tokenizer = Tokenizer.from_file(args.tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    vocab = tokenizer.get_vocab_size()
    corpus = json.load(open(args.corpus))
    ids = [tokenizer.encode(t).ids for t in corpus]
    teacher = Teacher(args.model, args.threads)
    pieces = cached(args.cache + "/pieces.npy", lambda: teacher.pieces(vocab))
    texts = cached(args.cache + "/texts.npy", lambda: teacher.texts(ids))

    bodies = [i[1:-1] for i in ids]
    counts = np.bincount(np.concatenate([np.array(b, int) for b in bodies]), minlength=vocab).astype(float)
    weights = SIF_A / (SIF_A + .5 * counts / counts.sum() + .5 * zipf(vocab))
    prior = pieces - pieces[SPECIAL:].mean(0)
    prior /= np.linalg.norm(prior, axis=1, keepdims=True)
    g, fitted = refit(prior, texts - texts.mean(0), bodies, weights.astype("f4"), args.ridge)
    e = (g @ principal_axes(fitted, args.dim)) * weights[:, None]
    e[[0, CLS, SEP, SPECIAL - 1]] = 0  # [PAD] [CLS] [SEP] [MASK]
    values, axes = np.linalg.eigh(np.cov(e[SPECIAL:].T))
    e = (e @ axes) / np.maximum(values, 1e-9) ** args.whiten
    write(args.out, e.astype("f4"))
    print(args.out, os.path.getsize(args.out), "bytes, sha256", hashlib.sha256(open(args.out, "rb").read()).hexdigest())


if __name__ == "__main__":
    main()

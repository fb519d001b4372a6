"""The pgvector package with psycopg: types, distances, indexes, COPY."""

import numpy as np
import psycopg
from pgvector.psycopg import Bit, HalfVector, SparseVector, Vector, register_vector

from checks import DSN, check, done, equal, near

conn = psycopg.connect(DSN, autocommit=True)
conn.execute("CREATE EXTENSION IF NOT EXISTS vector")
register_vector(conn)
conn.execute("DROP TABLE IF EXISTS rag_items")
conn.execute(
    "CREATE TABLE rag_items (id bigserial PRIMARY KEY, embedding vector(3), half_embedding halfvec(3),"
    " binary_embedding bit(3), sparse_embedding sparsevec(3))"
)


@check("vector there and back")
def _():
    conn.execute("TRUNCATE rag_items")
    v = np.array([1.5, 2, 3])
    conn.execute("INSERT INTO rag_items (embedding) VALUES (%s), (NULL)", (v,))
    rows = conn.execute("SELECT * FROM rag_items ORDER BY id").fetchall()
    assert np.array_equal(rows[0][1], v)
    equal(rows[0][1].dtype, np.float32)
    equal(rows[1][1], None)


@check("text and binary formats")
def _():
    v = np.array([1.5, 2, 3])
    for type_, value, kind in (
        ("vector", v, np.ndarray),
        ("halfvec", HalfVector([1.5, 2, 3]), HalfVector),
        ("sparsevec", SparseVector([1.5, 0, 3]), SparseVector),
    ):
        for param in ("%t", "%b"):
            for binary in (True, False):
                got = conn.execute(f"SELECT {param}::{type_}", (value,), binary=binary).fetchone()[0]
                if kind is np.ndarray:
                    assert np.array_equal(got, value)
                else:
                    equal(got, value)


@check("bits")
def _():
    equal(conn.execute("SELECT %s::bit(3)::text", (Bit([True, False, True]),)).fetchone()[0], "101")


@check("arrays of vectors")
def _():
    got = conn.execute("SELECT %s::vector[]", ([np.array([1.5, 2, 3]), np.array([4.5, 5, 6])],)).fetchone()[0]
    equal([list(x) for x in got], [[1.5, 2, 3], [4.5, 5, 6]])


@check("nearest by every distance")
def _():
    conn.execute("TRUNCATE rag_items RESTART IDENTITY")
    for v in ([1, 1, 1], [2, 2, 2], [1, 1, 2]):
        conn.execute("INSERT INTO rag_items (embedding) VALUES (%s)", (np.array(v),))
    q = np.array([1, 1, 1])
    want = {"<->": [1, 3, 2], "<#>": [2, 3, 1], "<=>": [1, 2, 3], "<+>": [1, 3, 2]}
    for op, ids in want.items():
        got = conn.execute(f"SELECT id FROM rag_items ORDER BY embedding {op} %s, id LIMIT 5", (q,)).fetchall()
        equal([r[0] for r in got], ids)


@check("distances as values and as conditions")
def _():
    q = np.array([3, 1, 2])
    rows = conn.execute(
        "SELECT embedding <-> %s, (embedding <#> %s) * -1, 1 - (embedding <=> %s) FROM rag_items ORDER BY id", (q, q, q)
    ).fetchall()
    near(rows[0][0], 5**0.5)
    near(rows[0][1], 6)
    near(rows[0][2], 6 / (3 * 14) ** 0.5)
    equal(conn.execute("SELECT count(*) FROM rag_items WHERE embedding <-> %s < 1.8", (q,)).fetchone()[0], 1)


@check("averages and sums")
def _():
    equal(list(conn.execute("SELECT AVG(embedding) FROM rag_items WHERE id < 3").fetchone()[0]), [1.5, 1.5, 1.5])
    equal(list(conn.execute("SELECT SUM(embedding) FROM rag_items").fetchone()[0]), [4, 4, 5])


@check("indexes of all kinds")
def _():
    for sql in (
        "USING hnsw (embedding vector_l2_ops)",
        "USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)",
        "USING ivfflat (embedding vector_ip_ops) WITH (lists = 100)",
        "USING hnsw ((embedding::halfvec(3)) halfvec_l2_ops)",
        "USING hnsw ((binary_quantize(embedding)::bit(3)) bit_hamming_ops)",
        "USING hnsw (half_embedding halfvec_cosine_ops)",
        "USING hnsw (sparse_embedding sparsevec_l2_ops)",
    ):
        conn.execute(f"CREATE INDEX rag_ix ON rag_items {sql}")
        equal([r[0] for r in conn.execute("SELECT id FROM rag_items ORDER BY embedding <-> '[2,2,2]' LIMIT 1").fetchall()], [2])
        method = sql.split()[1]
        definition = conn.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'rag_ix'").fetchone()[0]
        assert f"USING {method}" in definition, definition
        conn.execute("DROP INDEX rag_ix")
    conn.execute("SET hnsw.ef_search = 100")
    conn.execute("SET ivfflat.probes = 10")
    with conn.transaction():
        conn.execute("SET LOCAL hnsw.iterative_scan = strict_order")


@check("binary quantization and reranking")
def _():
    rows = conn.execute(
        "SELECT * FROM (SELECT id, embedding FROM rag_items ORDER BY binary_quantize(embedding)::bit(3) <~> binary_quantize(%s) LIMIT 20) x"
        " ORDER BY embedding <=> %s LIMIT 5",
        (Vector([1, -2, 3]), np.array([1, -2, 3])),
    ).fetchall()
    equal(len(rows), 3)
    equal(rows[0][0], 3)


@check("subvectors")
def _():
    got = conn.execute(
        "SELECT id FROM rag_items ORDER BY subvector(embedding, 1, 2)::vector(2) <=> subvector('[1,1,5]'::vector, 1, 2), id LIMIT 1"
    ).fetchone()
    equal(got[0], 1)


@check("sparse and half columns")
def _():
    conn.execute(
        "INSERT INTO rag_items (half_embedding, sparse_embedding, binary_embedding) VALUES (%s, %s, %s)",
        (HalfVector([1, 2, 3]), SparseVector([1, 0, 2]), "101"),
    )
    row = conn.execute("SELECT half_embedding, sparse_embedding, binary_embedding <~> '111' FROM rag_items WHERE half_embedding IS NOT NULL").fetchone()
    equal(row[0], HalfVector([1, 2, 3]))
    equal(row[1], SparseVector([1, 0, 2]))
    equal(row[2], 1)


@check("binary COPY of many vectors")
def _():
    conn.execute("DROP TABLE IF EXISTS rag_bulk")
    conn.execute("CREATE TABLE rag_bulk (id bigserial, embedding vector(128))")
    vectors = np.random.default_rng(1).random((1000, 128))
    with conn.cursor().copy("COPY rag_bulk (embedding) FROM STDIN WITH (FORMAT BINARY)") as copy:
        copy.set_types(["vector"])
        for v in vectors:
            copy.write_row([v])
    equal(conn.execute("SELECT count(*) FROM rag_bulk").fetchone()[0], 1000)
    conn.execute("CREATE INDEX ON rag_bulk USING hnsw (embedding vector_l2_ops)")
    got = conn.execute("SELECT id FROM rag_bulk ORDER BY embedding <-> %s LIMIT 10", (vectors[41],)).fetchall()
    want = np.argsort(((vectors.astype(np.float32) - vectors[41].astype(np.float32)) ** 2).sum(axis=1))[:10] + 1
    equal([r[0] for r in got], list(want))


@check("errors of pgvector")
def _():
    for sql, state in (
        ("SELECT '[1,2]'::vector <-> '[1,2,3]'", "22000"),
        ("SELECT '[1,x]'::vector", "22P02"),
        ("SELECT '[1e39]'::vector", "22003"),
        ("SELECT '[1,2]'::vector(3)", "22000"),
        ("SELECT '[NaN]'::vector", "22000"),
        ("CREATE INDEX ON rag_items USING hnsw (embedding no_such_ops)", "42704"),
        ("CREATE INDEX ON rag_items USING hnsw (embedding vector_l2_ops) WITH (m = 1)", "22023"),
    ):
        try:
            conn.execute(sql)
        except psycopg.Error as e:
            equal(e.sqlstate, state)
        else:
            raise AssertionError(sql + " gave no error")


conn.execute("DROP TABLE rag_items, rag_bulk")
done()

"""LlamaIndex's PostgreSQL vector store with given embeddings."""

from urllib.parse import urlparse

from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.vector_stores.postgres import PGVectorStore

from checks import AXES, DSN, check, done, embed, equal

NODES = [
    ("cat", "a", {"kind": "animal", "legs": 4, "tags": ["pet"]}),
    ("dog", "a", {"kind": "animal", "legs": 4, "tags": ["pet", "loud"]}),
    ("bird", "b", {"kind": "animal", "legs": 2, "tags": ["wild"]}),
    ("red car", "c", {"kind": "machine", "legs": 0, "tags": ["loud"]}),
    ("green train", "c", {"kind": "machine", "legs": 0, "tags": ["slow"]}),
]


def nodes():
    return [
        TextNode(id_=f"n{i}", text=t, embedding=embed(t), metadata=m, relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=d)})
        for i, (t, d, m) in enumerate(NODES)
    ]


def opened(table, **more):
    u = urlparse(DSN)
    return PGVectorStore.from_params(
        host=u.hostname, port=str(u.port), database=u.path.lstrip("/"), user=u.username or "postgres", password=u.password or "x",
        table_name=table, schema_name="public", embed_dim=len(AXES), perform_setup=True, **more
    )


def ask(store, text, k=10, mode=VectorStoreQueryMode.DEFAULT, **more):
    r = store.query(VectorStoreQuery(query_embedding=embed(text), query_str=text, similarity_top_k=k, mode=mode, **more))
    return [n.get_content() for n in r.nodes], r


def filters(*fs, condition=FilterCondition.AND):
    return MetadataFilters(filters=[MetadataFilter(key=k, operator=o, value=v) for k, o, v in fs], condition=condition)


O = FilterOperator
FILTERS = [
    (filters(("kind", O.EQ, "animal")), {"cat", "dog", "bird"}),
    (filters(("kind", O.NE, "animal")), {"red car", "green train"}),
    (filters(("legs", O.GT, 2)), {"cat", "dog"}),
    (filters(("legs", O.GTE, 2)), {"cat", "dog", "bird"}),
    (filters(("legs", O.LT, 2)), {"red car", "green train"}),
    (filters(("kind", O.IN, ["machine", "plant"])), {"red car", "green train"}),
    (filters(("kind", O.NIN, ["machine", "plant"])), {"cat", "dog", "bird"}),
    (filters(("tags", O.CONTAINS, "loud")), {"dog", "red car"}),
    (filters(("kind", O.TEXT_MATCH, "mach")), {"red car", "green train"}),
    (filters(("kind", O.EQ, "animal"), ("legs", O.EQ, 2)), {"bird"}),
    (filters(("legs", O.EQ, 2), ("kind", O.EQ, "machine"), condition=FilterCondition.OR), {"bird", "red car", "green train"}),
]

for name, more in (("json", {}), ("jsonb", {"use_jsonb": True}), ("half", {"use_halfvec": True}), ("hnsw", {"hnsw_kwargs": {"hnsw_m": 16, "hnsw_ef_construction": 64, "hnsw_ef_search": 40, "hnsw_dist_method": "vector_cosine_ops"}})):
    store = opened("rag_" + name, **more)
    store.clear()

    @check(f"{name}: add and query")
    def _():
        equal(store.add(nodes()), [f"n{i}" for i in range(len(NODES))])
        got, r = ask(store, "dog", 2)
        equal(got[0], "dog")
        assert r.similarities[0] > 0.999, r.similarities
        equal(len(ask(store, "cat", 50)[0]), 5)

    @check(f"{name}: filters")
    def _():
        for f, want in FILTERS:
            equal((str(f), set(ask(store, "cat", filters=f)[0])), (str(f), want))

    @check(f"{name}: get and delete nodes")
    def _():
        if name != "half":  # the store itself cannot read these back as nodes
            equal({n.get_content() for n in store.get_nodes(["n1", "n2"])}, {"dog", "bird"})
        store.delete("c")
        equal(set(ask(store, "cat")[0]), {"cat", "dog", "bird"})
        store.delete_nodes(["n0"])
        equal(set(ask(store, "cat")[0]), {"dog", "bird"})
        store.delete_nodes(filters=filters(("legs", O.EQ, 2)))
        equal(set(ask(store, "cat")[0]), {"dog"})
        store.clear()
        equal(ask(store, "cat")[0], [])

    store._session.remove() if hasattr(store._session, "remove") else None

hybrid = opened("rag_hybrid", hybrid_search=True, text_search_config="english")
hybrid.clear()


@check("hybrid: both sides, and text alone")
def _():
    hybrid.add(nodes())
    got, _ = ask(hybrid, "green train", 2, VectorStoreQueryMode.HYBRID, sparse_top_k=2)
    assert "green train" in got, got
    got, _ = ask(hybrid, "bird", 5, VectorStoreQueryMode.SPARSE)
    equal(got, ["bird"])
    got, _ = ask(hybrid, "cat dog", 5, VectorStoreQueryMode.TEXT_SEARCH)
    equal(set(got), {"cat", "dog"})
    got, _ = ask(hybrid, "dog", 5, VectorStoreQueryMode.SPARSE, filters=filters(("kind", O.EQ, "machine")))
    equal(got, [])


hybrid.clear()
done()

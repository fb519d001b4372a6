"""LangChain's PostgreSQL vector stores with a fake embedder: PGVector, and PGVectorStore with its own tables."""

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_postgres import Column, PGEngine, PGVector, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from langchain_postgres.v2.indexes import DistanceStrategy, HNSWIndex, IVFFlatIndex

from checks import AXES, check, done, embed, equal, near, url


class Fake(Embeddings):
    def embed_documents(self, texts):
        return [embed(t) for t in texts]

    def embed_query(self, text):
        return embed(text)


DOCS = [
    ("cat", {"kind": "animal", "legs": 4, "tags": ["pet"], "price": 1.5}),
    ("dog", {"kind": "animal", "legs": 4, "tags": ["pet", "loud"], "price": 2.5}),
    ("bird", {"kind": "animal", "legs": 2, "tags": ["wild"], "price": 0.5}),
    ("red car", {"kind": "machine", "legs": 0, "tags": ["loud"], "price": 9.0}),
    ("green train", {"kind": "machine", "legs": 0, "tags": [], "price": 99.0}),
    ("red plane", {"kind": "machine", "legs": 0, "price": 999.0, "owner": "air_line"}),
]
IDS = [str(i + 1) for i in range(len(DOCS))]


def documents():
    return [Document(id=i, page_content=t, metadata=m) for i, (t, m) in zip(IDS, DOCS)]


def texts(found):
    return [d.page_content for d in found]


store = PGVector(embeddings=Fake(), collection_name="rag_docs", connection=url("psycopg"), use_jsonb=True, pre_delete_collection=True)


@check("PGVector: add and search")
def _():
    equal(store.add_documents(documents(), ids=IDS), IDS)
    equal(texts(store.similarity_search("dog", k=1)), ["dog"])
    found = store.similarity_search_with_score("red car", k=2)
    equal(found[0][0].page_content, "red car")
    near(found[0][1], 0, 1e-6)
    equal(found[0][0].metadata["kind"], "machine")
    equal(len(store.similarity_search("cat", k=100)), 6)


@check("PGVector: adding again replaces")
def _():
    store.add_documents([Document(id="1", page_content="cat cat", metadata={"kind": "animal", "legs": 4, "tags": ["pet"], "price": 1.5})], ids=["1"])
    equal(texts(store.similarity_search("cat", k=1)), ["cat cat"])
    equal(len(store.similarity_search("cat", k=100)), 6)
    store.add_documents(documents()[:1], ids=["1"])


FILTERS = [
    ({"kind": "animal"}, {"cat", "dog", "bird"}),
    ({"kind": {"$eq": "machine"}}, {"red car", "green train", "red plane"}),
    ({"kind": {"$ne": "machine"}}, {"cat", "dog", "bird"}),
    ({"legs": {"$gt": 2}}, {"cat", "dog"}),
    ({"legs": {"$gte": 2}}, {"cat", "dog", "bird"}),
    ({"price": {"$lt": 1.5}}, {"bird"}),
    ({"price": {"$lte": 1.5}}, {"bird", "cat"}),
    ({"price": {"$between": (2, 100)}}, {"dog", "red car", "green train"}),
    ({"legs": {"$in": [0, 2]}}, {"bird", "red car", "green train", "red plane"}),
    ({"legs": {"$nin": [0, 2]}}, {"cat", "dog"}),
    ({"owner": {"$exists": True}}, {"red plane"}),
    ({"owner": {"$exists": False}}, {"cat", "dog", "bird", "red car", "green train"}),
    ({"owner": {"$like": "air%"}}, {"red plane"}),
    ({"kind": {"$ilike": "MACH%"}}, {"red car", "green train", "red plane"}),
    ({"$and": [{"kind": "animal"}, {"legs": 2}]}, {"bird"}),
    ({"$or": [{"legs": 2}, {"price": {"$gt": 500}}]}, {"bird", "red plane"}),
    ({"$not": {"kind": "animal"}}, {"red car", "green train", "red plane"}),
    ({"kind": "animal", "legs": {"$gt": 3}}, {"cat", "dog"}),
]


@check("PGVector: filters")
def _():
    for f, want in FILTERS:
        equal((f, set(texts(store.similarity_search("cat", k=10, filter=f)))), (f, want))


@check("PGVector: maximal marginal relevance")
def _():
    found = store.max_marginal_relevance_search("red car red plane", k=2, fetch_k=6, lambda_mult=0.1)
    equal(len(found), 2)
    assert len({d.page_content for d in found}) == 2
    equal(len(store.max_marginal_relevance_search("cat", k=2, fetch_k=6, filter={"kind": "machine"})), 2)


@check("PGVector: get, delete, retriever")
def _():
    equal({d.page_content for d in store.get_by_ids(["2", "3"])}, {"dog", "bird"})
    retriever = store.as_retriever(search_kwargs={"k": 1})
    equal(texts(retriever.invoke("bird")), ["bird"])
    store.delete(["3"])
    assert "bird" not in texts(store.similarity_search("bird", k=10))
    store.delete_collection()


@check("PGVector: other distances")
def _():
    from langchain_postgres.vectorstores import DistanceStrategy as D

    for strategy, score in ((D.EUCLIDEAN, 0.0), (D.MAX_INNER_PRODUCT, None)):
        s = PGVector(embeddings=Fake(), collection_name="rag_" + strategy.value, connection=url("psycopg"), distance_strategy=strategy, pre_delete_collection=True)
        s.add_documents(documents(), ids=["d" + i for i in IDS])
        found = s.similarity_search_with_score("dog", k=1)
        equal(found[0][0].page_content, "dog")
        if score is not None:
            near(found[0][1], score)
        s.delete_collection()


engine = PGEngine.from_connection_string(url=url("psycopg"))
COLUMNS = [Column("kind", "TEXT"), Column("legs", "INTEGER"), Column("price", "REAL")]


def fresh(**more):
    engine.init_vectorstore_table(table_name="rag_store", vector_size=len(AXES), metadata_columns=COLUMNS, overwrite_existing=True, **more)


def opened(**more):
    return PGVectorStore.create_sync(
        engine=engine, table_name="rag_store", embedding_service=Fake(), metadata_columns=["kind", "legs", "price"], **more
    )


UUIDS = [f"00000000-0000-4000-8000-00000000000{i}" for i in IDS]


@check("PGVectorStore: add, search, filter, delete")
def _():
    fresh()
    s = opened()
    s.add_texts([t for t, _ in DOCS], metadatas=[m for _, m in DOCS], ids=UUIDS)
    equal(texts(s.similarity_search("dog", k=1)), ["dog"])
    for f, want in FILTERS:
        if "owner" in str(f) or "$not" in f and "kind" in str(f["$not"]):
            continue
        equal((f, set(texts(s.similarity_search("cat", k=10, filter=f)))), (f, want))
    found = s.similarity_search_with_score("red car", k=1)
    near(found[0][1], 0, 1e-6)
    equal(found[0][0].metadata["tags"], ["loud"])
    equal(len(s.max_marginal_relevance_search("cat", k=3, fetch_k=6)), 3)
    equal(texts(s.get_by_ids([UUIDS[1]])), ["dog"])
    s.delete([UUIDS[1]])
    assert "dog" not in texts(s.similarity_search("dog", k=10))


@check("PGVectorStore: indexes")
def _():
    s = opened()
    s.apply_vector_index(HNSWIndex(name="rag_store_hnsw", m=16, ef_construction=64))
    assert s.is_valid_index("rag_store_hnsw")
    equal(texts(s.similarity_search("bird", k=1)), ["bird"])
    s.reindex("rag_store_hnsw")
    s.drop_vector_index("rag_store_hnsw")
    assert not s.is_valid_index("rag_store_hnsw")
    s.apply_vector_index(IVFFlatIndex(name="rag_store_ivf", lists=1, distance_strategy=DistanceStrategy.EUCLIDEAN))
    s.drop_vector_index("rag_store_ivf")


@check("PGVectorStore: hybrid search")
def _():
    config = HybridSearchConfig(tsv_column="content_tsv", tsv_lang="pg_catalog.english", fusion_function=reciprocal_rank_fusion, fusion_function_parameters={"rrf_k": 60, "fetch_top_k": 4})
    fresh(hybrid_search_config=config)
    s = opened(hybrid_search_config=config)
    s.add_texts([t for t, _ in DOCS], metadatas=[m for _, m in DOCS], ids=UUIDS)
    found = texts(s.similarity_search("green train", k=3))
    equal(found[0], "green train")
    s.apply_hybrid_search_index()
    assert "red plane" in texts(s.similarity_search("red plane", k=4))


engine.drop_table("rag_store")
done()

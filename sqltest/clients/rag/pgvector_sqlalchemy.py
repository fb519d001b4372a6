"""The pgvector package with SQLAlchemy: the ORM's types, comparators and aggregates."""

import numpy as np
from pgvector.sqlalchemy import BIT, HALFVEC, SPARSEVEC, VECTOR, HalfVector, SparseVector, avg, sum
from sqlalchemy import Index, MetaData, Table, create_engine, func, inspect, insert, select, text
from sqlalchemy.orm import Session, declarative_base, mapped_column
from sqlalchemy.types import Integer

from checks import check, done, equal, near, url

for driver in ("psycopg", "psycopg2"):
    engine = create_engine(url(driver))
    with Session(engine) as session:
        session.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        session.commit()
    Base = declarative_base()

    class Item(Base):
        __tablename__ = "rag_orm_item"
        id = mapped_column(Integer, primary_key=True)
        embedding = mapped_column(VECTOR(3))
        half_embedding = mapped_column(HALFVEC(3))
        binary_embedding = mapped_column(BIT(3))
        sparse_embedding = mapped_column(SPARSEVEC(3))

    index = Index(
        "rag_orm_index",
        Item.embedding,
        postgresql_using="hnsw",
        postgresql_with={"m": 16, "ef_construction": 64},
        postgresql_ops={"embedding": "vector_l2_ops"},
    )
    half = Index(
        "rag_orm_half_index",
        func.cast(Item.embedding, HALFVEC(3)).label("embedding"),
        postgresql_using="hnsw",
        postgresql_ops={"embedding": "halfvec_l2_ops"},
    )
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)

    @check(f"{driver}: rows there and back")
    def _():
        with Session(engine) as session:
            session.add(Item(id=1, embedding=np.array([1.5, 2, 3])))
            session.add(Item(id=2, embedding=[4, 5, 6], half_embedding=[1, 2, 3], sparse_embedding=SparseVector([1, 0, 3]), binary_embedding="101"))
            session.commit()
            items = session.scalars(select(Item).order_by(Item.id)).all()
            equal(list(items[0].embedding), [1.5, 2, 3])
            assert items[0].half_embedding is None
            equal(items[1].half_embedding, HalfVector([1, 2, 3]))
            equal(items[1].sparse_embedding, SparseVector([1, 0, 3]))

    @check(f"{driver}: comparators")
    def _():
        with Session(engine) as session:
            session.execute(text("DELETE FROM rag_orm_item"))
            session.execute(insert(Item), [{"id": i + 1, "embedding": v} for i, v in enumerate(([1, 1, 1], [2, 2, 2], [1, 1, 2]))])
            session.commit()
            for comparator, want in (
                (Item.embedding.l2_distance([1, 1, 1]), [1, 3, 2]),
                (Item.embedding.max_inner_product([1, 1, 1]), [2, 3, 1]),
                (Item.embedding.cosine_distance([1, 1, 1]), [1, 2, 3]),
                (Item.embedding.l1_distance([1, 1, 1]), [1, 3, 2]),
            ):
                equal([i.id for i in session.scalars(select(Item).order_by(comparator, Item.id))], want)
            near(session.scalars(select(Item.embedding.l2_distance([1, 1, 1])).where(Item.id == 2)).first(), 3**0.5)
            equal([i.id for i in session.scalars(select(Item).filter(Item.embedding.l2_distance([1, 1, 1]) < 1.5).order_by(Item.id))], [1, 3])

    @check(f"{driver}: aggregates")
    def _():
        with Session(engine) as session:
            equal(list(session.scalars(select(avg(Item.embedding)).where(Item.id < 3)).first()), [1.5, 1.5, 1.5])
            equal(list(session.scalars(select(sum(Item.embedding))).first()), [4, 4, 5])

    @check(f"{driver}: reflection")
    def _():
        columns = {c["name"]: c["type"] for c in inspect(engine).get_columns("rag_orm_item")}
        assert isinstance(columns["embedding"], VECTOR), columns
        equal(columns["embedding"].dim, 3)
        assert isinstance(columns["half_embedding"], HALFVEC), columns
        assert isinstance(columns["sparse_embedding"], SPARSEVEC), columns
        names = {i["name"] for i in inspect(engine).get_indexes("rag_orm_item")}
        assert {"rag_orm_index", "rag_orm_half_index"} <= names, names
        Table("rag_orm_item", MetaData(), autoload_with=engine)

    Base.metadata.drop_all(engine)
    engine.dispose()
done()

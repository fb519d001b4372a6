"""SQLAlchemy 2 over psycopg, psycopg2 and asyncpg's dialects: create, reflect, ORM, upserts, server-side cursors, types."""

import datetime as dt
import decimal
import enum
import uuid

import sqlalchemy as sa
from sqlalchemy import ForeignKey, MetaData, UniqueConstraint, func, inspect, select, text
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

from check import Suite

S = Suite("sqlalchemy")


class Colour(enum.Enum):
    red = 1
    green = 2


class Base(DeclarativeBase):
    metadata = MetaData(schema="sqa")


class Author(Base):
    __tablename__ = "author"
    __table_args__ = (sa.CheckConstraint("length(name) > 1", name="name_len"), {"comment": "who writes"})
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(60), index=True, comment="full name")
    born: Mapped[dt.date | None]
    favourite: Mapped[Colour | None] = mapped_column(sa.Enum(Colour, name="colour", schema="sqa"))
    books: Mapped[list["Book"]] = relationship(back_populates="author", cascade="all, delete-orphan")


class Book(Base):
    __tablename__ = "book"
    __table_args__ = (UniqueConstraint("author_id", "title", name="one_title"), sa.Index("book_price", sa.text("price DESC"), postgresql_where=sa.text("price > 5")))
    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(always=True), primary_key=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("sqa.author.id", ondelete="CASCADE"))
    title: Mapped[str]
    price: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(8, 2), server_default="9.99")
    tags: Mapped[list[str]] = mapped_column(pg.ARRAY(sa.Text), default=list)
    data: Mapped[dict] = mapped_column(pg.JSONB, default=dict)
    uid: Mapped[uuid.UUID] = mapped_column(default=uuid.uuid4)
    at: Mapped[dt.datetime] = mapped_column(sa.DateTime(timezone=True), server_default=func.now())
    author: Mapped[Author] = relationship(back_populates="books")


def url(driver):
    return S.dsn.replace("postgresql://", "postgres://").replace("postgres://", f"postgresql+{driver}://")


def run(driver):
    e = sa.create_engine(url(driver))
    tag = driver + ": "
    with e.begin() as c:
        c.execute(text("DROP SCHEMA IF EXISTS sqa CASCADE"))
        c.execute(text("CREATE SCHEMA sqa"))
    Base.metadata.create_all(e)
    Base.metadata.create_all(e)  # checks what is there
    orm(e, tag)
    reflect(e, tag)
    core(e, tag)
    Base.metadata.drop_all(e)
    S.eq(tag + "dropped", inspect(e).get_table_names(schema="sqa"), [])
    e.dispose()


def orm(e, tag):
    with Session(e) as s:
        a = Author(name="Ann Author", born=dt.date(1970, 1, 1), favourite=Colour.green, books=[Book(title="One", tags=["x", "y"], data={"k": [1]}), Book(title="Two", price=decimal.Decimal("1.50"))])
        s.add_all([a, Author(name="Bob")])
        s.commit()
        S.eq(tag + "ids", (a.id, [b.id for b in a.books]), (1, [1, 2]))
        S.eq(tag + "server default", a.books[0].price, decimal.Decimal("9.99"))
        got = s.scalars(select(Author).options(selectinload(Author.books)).order_by(Author.id)).all()
        S.eq(tag + "selectin", [(x.name, len(x.books)) for x in got], [("Ann Author", 2), ("Bob", 0)])
        S.eq(tag + "enum", got[0].favourite, Colour.green)
        q = select(Author.name, func.count(Book.id)).join(Book, isouter=True).group_by(Author.id).order_by(Author.name)
        S.eq(tag + "join", [tuple(r) for r in s.execute(q)], [("Ann Author", 2), ("Bob", 0)])
        S.eq(tag + "jsonb", s.scalar(select(Book.title).where(Book.data["k"][0].as_integer() == 1)), "One")
        S.eq(tag + "array", s.scalar(select(Book.title).where(Book.tags.contains(["x"]))), "One")
        S.eq(tag + "any", s.scalar(select(Book.title).where(Book.tags.any("y"))), "One")
        a.books.pop()
        s.commit()
        S.eq(tag + "orphan", s.scalar(select(func.count()).select_from(Book)), 1)
        s.delete(a)
        s.commit()
        S.eq(tag + "cascade", s.scalar(select(func.count()).select_from(Book)), 0)
        s.add(Author(name="X"))
        S.raises(tag + "check", "23514", s.flush)


def reflect(e, tag):
    i = inspect(e)
    S.eq(tag + "schema", "sqa" in i.get_schema_names() and i.default_schema_name == "public", True)
    S.eq(tag + "tables", sorted(i.get_table_names(schema="sqa")), ["author", "book"])
    cols = {c["name"]: c for c in i.get_columns("book", schema="sqa")}
    S.eq(tag + "types", [str(c["type"]) for c in cols.values()], ["BIGINT", "INTEGER", "VARCHAR", "NUMERIC(8, 2)", "ARRAY", "JSONB", "UUID", "TIMESTAMP"])
    S.eq(tag + "identity", cols["id"]["identity"]["always"], True)
    S.eq(tag + "default", cols["price"]["default"], "9.99")
    S.eq(tag + "now()", cols["at"]["default"], "now()")
    S.eq(tag + "nullable", [c["nullable"] for c in i.get_columns("author", schema="sqa")], [False, False, True, True])
    S.eq(tag + "serial", i.get_columns("author", schema="sqa")[0]["default"], "nextval('sqa.author_id_seq'::regclass)")
    S.eq(tag + "comment", (i.get_table_comment("author", schema="sqa"), i.get_columns("author", schema="sqa")[1]["comment"]), ({"text": "who writes"}, "full name"))
    S.eq(tag + "pk", i.get_pk_constraint("book", schema="sqa")["constrained_columns"], ["id"])
    fk = i.get_foreign_keys("book", schema="sqa")[0]
    S.eq(tag + "fk", (fk["name"], fk["referred_schema"], fk["referred_table"], fk["constrained_columns"], fk["options"]),
         ("book_author_id_fkey", "sqa", "author", ["author_id"], {"ondelete": "CASCADE"}))
    S.eq(tag + "unique", [(u["name"], u["column_names"]) for u in i.get_unique_constraints("book", schema="sqa")], [("one_title", ["author_id", "title"])])
    ix = {x["name"]: x for x in i.get_indexes("book", schema="sqa")}
    S.eq(tag + "index", (ix["book_price"]["column_names"], ix["book_price"]["column_sorting"], ix["book_price"]["dialect_options"]["postgresql_where"]),
         (["price"], {"price": ("desc",)}, "(price > (5)::numeric)"))
    S.eq(tag + "checks", [(k["name"], k["sqltext"]) for k in i.get_check_constraints("author", schema="sqa")], [("name_len", "length(name::text) > 1")])
    S.eq(tag + "enums", i.get_enums(schema="sqa"), [{"name": "colour", "schema": "sqa", "visible": False, "labels": ["red", "green"]}])
    S.eq(tag + "sequences", sorted(i.get_sequence_names(schema="sqa")), ["author_id_seq", "book_id_seq"])
    S.eq(tag + "has", (i.has_table("book", schema="sqa"), i.has_table("no", schema="sqa"), e.connect().dialect.has_type(e.connect(), "colour", schema="sqa")), (True, False, True))
    m = MetaData()
    m.reflect(e, schema="sqa")
    S.eq(tag + "reflected", sorted(m.tables), ["sqa.author", "sqa.book"])
    S.eq(tag + "reflected fk", [f.target_fullname for f in m.tables["sqa.book"].foreign_keys], ["sqa.author.id"])
    with e.begin() as c:
        c.execute(text("CREATE VIEW sqa.v AS SELECT name FROM sqa.author; CREATE MATERIALIZED VIEW sqa.mv AS SELECT name FROM sqa.author"))
    i = inspect(e)
    S.eq(tag + "views", (i.get_view_names(schema="sqa"), i.get_materialized_view_names(schema="sqa")), (["v"], ["mv"]))
    S.eq(tag + "definition", "author" in i.get_view_definition("v", schema="sqa"), True)
    with e.begin() as c:
        c.execute(text("DROP VIEW sqa.v; DROP MATERIALIZED VIEW sqa.mv"))


def core(e, tag):
    t = Author.__table__
    with e.begin() as c:
        ins = pg.insert(t).values([{"name": "up"}, {"name": "down"}]).returning(t.c.id, t.c.name)
        S.eq(tag + "returning", [r.name for r in c.execute(ins)], ["up", "down"])
        k = c.scalar(select(t.c.id).where(t.c.name == "up"))
        up = pg.insert(t).values(id=k, name="again")
        c.execute(up.on_conflict_do_update(index_elements=["id"], set_={"name": up.excluded.name}))
        S.eq(tag + "upsert", c.scalar(select(t.c.name).where(t.c.id == k)), "again")
        c.execute(t.insert(), [{"name": f"many{i}"} for i in range(1500)])
        S.eq(tag + "insertmanyvalues", c.scalar(select(func.count()).select_from(t).where(t.c.name.like("many%"))), 1500)
        r = c.execution_options(stream_results=True, yield_per=100).execute(select(t.c.id).order_by(t.c.id))
        S.eq(tag + "stream", sum(1 for _ in r) >= 1500, True)
    with e.begin() as c:
        S.eq(tag + "update", c.execute(t.update().where(t.c.name.like("many%")).values(born=dt.date(2000, 1, 1))).rowcount, 1500)
        S.eq(tag + "cte", c.scalar(select(func.count()).select_from(select(t.c.id).where(t.c.born.is_not(None)).cte("x"))), 1500)
        S.eq(tag + "window", c.scalar(select(func.row_number().over(order_by=t.c.id)).order_by(t.c.id.desc()).limit(1)) >= 1500, True)
        S.eq(tag + "interval", c.scalar(select(sa.cast("1 day", sa.Interval))), dt.timedelta(days=1))
        S.eq(tag + "for update", c.execute(select(t.c.id).with_for_update(skip_locked=True).limit(1)).rowcount, 1)
        c.execute(t.delete())
    with e.connect().execution_options(isolation_level="SERIALIZABLE") as c:
        S.eq(tag + "isolation", c.get_isolation_level(), "SERIALIZABLE")
        nested = c.begin()
        sp = c.begin_nested()
        c.execute(t.insert().values(name="gone"))
        sp.rollback()
        S.eq(tag + "savepoint", c.scalar(select(func.count()).select_from(t)), 0)
        nested.rollback()


for driver in ("psycopg", "psycopg2"):
    S.part(run, driver)
S.done()

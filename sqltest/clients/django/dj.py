"""Django: migrations, inspectdb, ORM, introspection, schema editor, in a database of its own. Prints "label: value" lines."""

import os, sys, datetime as dt, decimal, io, re
from urllib.parse import urlparse
u = urlparse(sys.argv[1])
import django
from django.conf import settings
settings.configure(SECRET_KEY="x", USE_TZ=True, INSTALLED_APPS=["django.contrib.contenttypes","django.contrib.auth","django.contrib.sessions","django.contrib.admin","django.contrib.messages","django.contrib.postgres","shop"],
  DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", DATABASES={"default": dict(ENGINE="django.db.backends.postgresql", HOST=u.hostname, PORT=u.port, USER=u.username, PASSWORD="", NAME="djt")},
  TEMPLATES=[{"BACKEND":"django.template.backends.django.DjangoTemplates","OPTIONS":{"context_processors":["django.template.context_processors.request","django.contrib.auth.context_processors.auth","django.contrib.messages.context_processors.messages"]}}],MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware","django.contrib.auth.middleware.AuthenticationMiddleware","django.contrib.messages.middleware.MessageMiddleware"], SILENCED_SYSTEM_CHECKS=["admin.E403"])
import psycopg
with psycopg.connect(sys.argv[1], autocommit=True) as c:
    c.execute("DROP DATABASE IF EXISTS djt"); c.execute("CREATE DATABASE djt")
django.setup()
from django.core.management import call_command
from django.db import connection, transaction, models
from django.db.models import *
from django.db.models.functions import *
import traceback
def show(label, f):
    try: v = f()
    except Exception as e: v = f"error {type(e).__name__} {str(e)[:300]}"
    print(f"{label}: {v!r}".replace("\n", "\\n"))
def cmd(*a, **k):
    o = io.StringIO(); call_command(*a, stdout=o, **k); return o.getvalue()
import shutil
os.chdir(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.getcwd())
for f in os.listdir("shop/migrations"):
    if f != "__init__.py": 
        p=os.path.join("shop/migrations", f); shutil.rmtree(p) if os.path.isdir(p) else os.remove(p)
open("shop/migrations/__init__.py","w").close()
show("makemigrations", lambda: "Create model" in cmd("makemigrations", "shop"))
show("migrate", lambda: cmd("migrate")[-200:])
show("showmigrations", lambda: cmd("showmigrations", "shop"))
show("check", lambda: cmd("check", databases=["default"]))
show("migrate again", lambda: cmd("migrate")[-60:])
show("makemigrations check", lambda: cmd("makemigrations", "shop"))
show("inspectdb", lambda: cmd("inspectdb"))
show("sqlmigrate", lambda: len(cmd("sqlmigrate", "shop", "0001")) > 100)
from shop.models import *
a = Author.objects.create(name="Ann", email="a@x", born=dt.date(1980,1,2))
b = Author.objects.create(name="Bob")
def books():
    t = [Tag.objects.create(label=x) for x in ("x","y","z")]
    for i in range(20):
        k = Book.objects.create(title=f"T{i}", author=[a,b][i%2], price=decimal.Decimal(i)/3, pages=i*10, rating=i/7, data={"k": i, "n": {"d": [1,2,i]}}, words=["w", f"v{i}"], blob=b"\x00\xff", length=dt.timedelta(hours=i), at=dt.time(1,2,3), ip="10.0.0.1", span=(1, i+2))
        k.tags.set(t[: i % 4])
    return Book.objects.count()
show("books", books)
show("first", lambda: Book.objects.order_by("id").values_list("title","price","pages","data","words","length","at","ip","span","total").first())
show("filter", lambda: list(Book.objects.filter(price__gt=2, author__name__startswith="A").values_list("title", flat=True).order_by("pages")))
show("agg", lambda: Book.objects.aggregate(Sum("pages"), Avg("rating"), Max("price"), Count("id", distinct=True), StdDev("pages")))
show("annotate", lambda: sorted(Author.objects.annotate(n=Count("books"), s=Sum("books__pages")).values_list("name","n","s")))
show("json", lambda: list(Book.objects.filter(data__n__d__2__gt=15).values_list("title", flat=True).order_by("id")))
show("json contains", lambda: Book.objects.filter(data__contains={"k": 3}).count())
show("json has_key", lambda: Book.objects.filter(data__has_key="k", data__has_keys=["k","n"], data__has_any_keys=["q","k"]).count())
show("json kt", lambda: list(Book.objects.values_list("data__k", flat=True).order_by("-data__k")[:3]))
show("array", lambda: (Book.objects.filter(words__contains=["v3"]).count(), Book.objects.filter(words__overlap=["v3","v4"]).count(), Book.objects.filter(words__len=2).count(), Book.objects.filter(words__1="v5").count()))
show("range", lambda: (Book.objects.filter(span__contains=5).count(), Book.objects.filter(span__overlap=(1,3)).count()))
show("subquery", lambda: list(Author.objects.annotate(t=Subquery(Book.objects.filter(author=OuterRef("pk")).order_by("-pages").values("title")[:1])).values_list("name","t")))
show("exists", lambda: Author.objects.filter(Exists(Book.objects.filter(author=OuterRef("pk"), pages__gt=150))).count())
show("window", lambda: list(Book.objects.annotate(r=Window(RowNumber(), partition_by="author", order_by="-pages")).filter(r=1).values_list("title", flat=True)))
show("case", lambda: list(Book.objects.annotate(c=Case(When(pages__gt=100, then=Value("big")), default=Value("small"))).values("c").annotate(n=Count("*")).order_by("c").values_list("c","n")))
show("dates", lambda: (list(Book.objects.dates("created","year"))==[dt.date.today().replace(month=1,day=1)] , Book.objects.annotate(y=ExtractYear("created")).values("y").distinct().count(), Book.objects.annotate(d=TruncMonth("created")).values("d").distinct().count()))
show("f", lambda: Book.objects.filter(pages__lt=50).update(pages=F("pages")+1))
show("bulk_create", lambda: len(Book.objects.bulk_create([Book(title=f"B{i}", author=a) for i in range(50)], batch_size=20)))
show("bulk_update", lambda: Book.objects.bulk_update([setattr(k,"pages",5) or k for k in Book.objects.filter(title__startswith="B")], ["pages"]))
show("upsert", lambda: [x.name for x in Author.objects.bulk_create([Author(name="Ann", email="new"), Author(name="Cyd")], update_conflicts=True, unique_fields=["name"], update_fields=["email"])])
show("ignore", lambda: len(Author.objects.bulk_create([Author(name="Ann")], ignore_conflicts=True)))
show("goc", lambda: Author.objects.get_or_create(name="Dan")[1])
show("uoc", lambda: Author.objects.update_or_create(name="Dan", defaults={"email":"d"})[1])
show("select_for_update", lambda: (lambda: [x.name for x in transaction.atomic()(lambda: list(Author.objects.select_for_update(skip_locked=True, of=("self",)).order_by("name")[:2]))()])())
def at():
    try:
        with transaction.atomic():
            Author.objects.create(name="Eve")
            try:
                with transaction.atomic():
                    Author.objects.create(name="Eve")
            except django.db.IntegrityError as e: pass
            raise ValueError
    except ValueError: pass
    return Author.objects.filter(name="Eve").count()
show("atomic", at)
show("iterator", lambda: sum(1 for _ in Book.objects.iterator(chunk_size=7)))
show("explain", lambda: "Scan" in Book.objects.filter(pages=1).explain())
show("union", lambda: Book.objects.filter(pages=5).union(Book.objects.filter(pages=6)).count())
show("in_bulk", lambda: sorted(Tag.objects.in_bulk()))
show("prefetch", lambda: [(x.title, sorted(t.label for t in x.tags.all())) for x in Book.objects.select_related("author").prefetch_related("tags").order_by("id")[:4]])
show("search", lambda: Book.objects.filter(title__search="T3").count())
from django.contrib.postgres.search import *
from django.contrib.postgres.aggregates import *
show("searchrank", lambda: list(Book.objects.annotate(r=SearchRank(SearchVector("title"), SearchQuery("T3"))).filter(r__gt=0).values_list("title", flat=True)))
show("arrayagg", lambda: list(Author.objects.annotate(x=ArrayAgg("books__pages", distinct=True, filter=Q(books__pages__lt=30)), s=StringAgg("books__title", ",", ordering="books__id")).values_list("x","s"))[:1])
show("jsonagg", lambda: Author.objects.aggregate(x=JSONBAgg("name", ordering="name")))
show("boolagg", lambda: Book.objects.aggregate(x=BoolOr("ok"), y=BitXor("pages")))
show("regex", lambda: Book.objects.filter(title__iregex=r"^t\d$").count())
show("icontains", lambda: Book.objects.filter(title__icontains="t1").count())
show("dumpdata", lambda: len(cmd("dumpdata","shop")) > 1000)
show("intro tables", lambda: sorted((t.name,t.type,t.comment or "") for t in connection.introspection.get_table_list(connection.cursor())))
for t in ("shop_book","shop_author","shop_book_tags"):
    show("intro cols "+t, lambda: [tuple(x) for x in connection.introspection.get_table_description(connection.cursor(), t)])
    show("intro con "+t, lambda: sorted(connection.introspection.get_constraints(connection.cursor(), t).items()))
    show("intro rel "+t, lambda: sorted(connection.introspection.get_relations(connection.cursor(), t).items()))
    show("intro seq "+t, lambda: connection.introspection.get_sequences(connection.cursor(), t))
    show("intro pk "+t, lambda: connection.introspection.get_primary_key_columns(connection.cursor(), t))
show("integrity", lambda: connection.check_constraints())
def alter():
    class M(models.Model):
        class Meta: app_label="shop"; db_table="sch"
        a = models.IntegerField(default=1)
    out=[]
    with connection.schema_editor() as e:
        e.create_model(M)
        f = models.CharField(max_length=10, default="q", db_index=True); f.set_attributes_from_name("c"); e.add_field(M, f)
        g = models.TextField(null=True, unique=True); g.set_attributes_from_name("c"); e.alter_field(M, f, g)
        h = models.TextField(null=True); h.set_attributes_from_name("d"); e.alter_field(M, g, h)
        i = models.BigIntegerField(default=1); i.set_attributes_from_name("a"); e.alter_field(M, M._meta.get_field("a"), i)
        e.alter_db_table(M, "sch", "sch2"); M._meta.db_table="sch2"
        e.remove_field(M, h)
        e.add_index(M, models.Index(fields=["a"], name="sch_a")); e.rename_index(M, models.Index(fields=["a"], name="sch_a"), models.Index(fields=["a"], name="sch_b"))
        e.add_constraint(M, models.CheckConstraint(condition=models.Q(a__gt=0), name="ck"))
    with connection.cursor() as c: out=[tuple(x) for x in connection.introspection.get_table_description(c, "sch2")], sorted(connection.introspection.get_constraints(c, "sch2").items())
    with connection.schema_editor() as e: e.delete_model(M)
    return out
show("schema editor", alter)
show("rollback", lambda: cmd("migrate","shop","zero")[-120:])
show("flush", lambda: cmd("flush", interactive=False))
show("test client", lambda: __import__("django.contrib.auth.models", fromlist=["User"]).User.objects.create_superuser("root","r@x","pw").check_password("pw"))
connection.close()

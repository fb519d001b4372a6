from django.db import models
import django.db.models.functions
from django.contrib.postgres.fields import ArrayField, DateRangeField, IntegerRangeField
from django.contrib.postgres.indexes import GinIndex, BrinIndex, HashIndex
from django.contrib.postgres.constraints import ExclusionConstraint
import uuid

class Author(models.Model):
    name = models.CharField(max_length=100, unique=True)
    email = models.EmailField(db_index=True, blank=True)
    born = models.DateField(null=True)
    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    class Meta:
        ordering = ["name"]
        db_table_comment = "people who write"

class Tag(models.Model):
    label = models.SlugField(primary_key=True, db_comment="a label")

class Book(models.Model):
    title = models.CharField(max_length=200)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    tags = models.ManyToManyField(Tag)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    pages = models.PositiveIntegerField(default=1)
    rating = models.FloatField(null=True)
    data = models.JSONField(default=dict)
    words = ArrayField(models.TextField(), default=list)
    blob = models.BinaryField(null=True)
    length = models.DurationField(null=True)
    created = models.DateTimeField(auto_now_add=True)
    at = models.TimeField(null=True)
    ip = models.GenericIPAddressField(null=True)
    ok = models.BooleanField(default=True)
    span = IntegerRangeField(null=True)
    small = models.PositiveSmallIntegerField(default=0)
    big = models.BigIntegerField(default=0)
    total = models.GeneratedField(expression=models.F("pages") * 2, output_field=models.IntegerField(), db_persist=True)
    class Meta:
        indexes = [models.Index(fields=["-price", "title"], name="book_price"), GinIndex(fields=["data"], name="book_data"), models.Index(models.functions.Lower("title"), name="book_lower") if hasattr(models,'functions') else models.Index(fields=["pages"], name="x"),
                   models.Index(fields=["pages"], name="book_pp", condition=models.Q(pages__gt=10), include=["title"]), BrinIndex(fields=["created"], name="book_brin"), HashIndex(fields=["title"], name="book_hash")]
        constraints = [models.CheckConstraint(condition=models.Q(pages__gte=0), name="pages_pos"), models.UniqueConstraint(fields=["title", "author"], name="uniq_ta", deferrable=models.Deferrable.DEFERRED),
                       models.UniqueConstraint(models.functions.Lower("title"), "pages", name="uniq_lt")]

"""Checks that go on after a failure, and a fake embedder whose vectors mean something: words are axes."""

import os
import sys
import traceback

DSN = os.environ["DSN"]
FAILED = []


def url(driver):
    """The DSN for SQLAlchemy with a driver."""
    return DSN.replace("postgresql://", "postgres://").replace("postgres://", f"postgresql+{driver}://", 1)


def check(name):
    """Runs a function as a check when it is declared."""

    def run(f):
        try:
            f()
            print("ok", name)
        except Exception:
            FAILED.append(name)
            print("FAIL", name)
            traceback.print_exc(limit=-3)

    return run


def plain(v):
    """Vectors of this version of the pgvector package do not compare."""
    return v.to_list() if hasattr(v, "to_list") else v


def equal(got, want):
    got, want = plain(got), plain(want)
    assert got == want, f"got {got!r}, want {want!r}"


def near(got, want, by=1e-6):
    assert abs(got - want) <= by, f"got {got!r}, want {want!r}"


def done():
    sys.exit(1 if FAILED else 0)


AXES = ["cat", "dog", "bird", "car", "train", "plane", "red", "green"]


def embed(text):
    """Counts words; every text has a little of everything, so that none is a zero vector."""
    words = text.lower().replace(",", " ").replace(".", " ").split()
    return [words.count(a) + 0.01 * (i + 1) for i, a in enumerate(AXES)]

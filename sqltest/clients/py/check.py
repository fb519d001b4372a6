"""What the Python suites share: named checks with the value that PostgreSQL 15 gives, and the line that the driver counts."""

import os
import sys
import traceback


class Suite:
    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0
        self.dsn = sys.argv[1] if len(sys.argv) > 1 else os.environ["DSN"]

    def eq(self, what, got, want):
        if got == want and type(got) is type(want):
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {self.name}: {what}\n  got  {got!r}\n  want {want!r}")

    def raises(self, what, code, f, *args):
        """f must fail with the SQLSTATE."""
        try:
            f(*args)
        except Exception as e:
            self.eq(what, sqlstate(e), code)
        else:
            self.eq(what, "no error", code)

    def part(self, f, *args):
        """Runs a group of checks; an exception in it is one failure."""
        try:
            f(*args)
        except Exception:
            self.failed += 1
            print(f"FAIL {self.name}: {f.__name__}\n{traceback.format_exc()}")

    def done(self):
        print(f"{self.name}: {self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)


def sqlstate(e):
    for attr in ("sqlstate", "pgcode"):
        if getattr(e, attr, None):
            return getattr(e, attr)
    orig = getattr(e, "orig", None)
    return sqlstate(orig) if orig is not None else repr(e)

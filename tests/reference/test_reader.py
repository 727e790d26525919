#!/usr/bin/env python3
"""The reference reader against every damage rule of ledger.md section 1.

The expected counts are worked out by hand from the text.
"""
import gzip
import os
import subprocess
import tempfile
import unittest

from reader import load

PUB = b'{"ev":"pub","t":1790000000000000001,"mid":"m1","topic":"t","from":"u"}'
CTRL = b'{"ev":"ctrl","t":1790000000000000002,"mid":"m1","code":202,"seq":1}'
FAIL = b'{"ev":"fail","t":1790000000000000003,"mid":"m2","why":"timeout"'     # open


def read(files):
    with tempfile.TemporaryDirectory() as root:
        for path, data in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as f:
                f.write(data)
        return load(root)


class Damage(unittest.TestCase):
    def check(self, data, lines=None, name="agents/a/l.jsonl", **expected):
        """Counts not named are 0, lines are those of the data."""
        run = read({name: data})
        want = dict.fromkeys(("rejected", "repaired", "resent", "unknown_events"), 0)
        want.update(expected)
        want["lines"] = data.count(b"\n") if lines is None else lines
        want["records"] = want["events"] + want["rejected"]
        self.assertEqual(run.count, want)
        return run

    def test_accepted_without_complaint(self):
        self.check(b"\xef\xbb\xbf" + PUB + b"\r\n\r\n  \n" + CTRL + b"\r\n", events=2)
        self.check(PUB + b"\n" + CTRL, lines=2, events=2)
        self.check(b"", events=0)

    def test_compressed(self):
        two = gzip.compress(PUB + b"\n") + gzip.compress(CTRL + b"\n")
        self.check(two + b"\0" * 512, lines=2, name="agents/a/l.jsonl.gz", events=2)
        packed = subprocess.run(["zstd", "-qc"], input=PUB + b"\n", check=True,
                                stdout=subprocess.PIPE).stdout
        self.check(packed, lines=1, name="agents/a/l.jsonl.zst", events=1)

    def test_cut_gzip(self):
        whole = gzip.compress((PUB + b"\n") * 3, 0)
        run = self.check(whole[:-20], lines=3, name="agents/a/l.jsonl.gz", events=2,
                         rejected=1, resent=1)
        self.assertTrue(run.files[0].cut)

    def test_repaired(self):
        self.check(PUB + CTRL + b"\n", events=2, repaired=1)
        self.check(b"\0\0" + PUB + b"\n" + CTRL + b"\0\n", events=2, repaired=2)
        self.check(FAIL + b',"detail":"\xff"}\n', events=1, repaired=1)
        self.check(FAIL + b',"detail":"\\ud83d"}\n', events=1, repaired=1)
        self.check(FAIL + b',"bytes":NaN}\n', events=1, repaired=1)
        run = self.check(FAIL + b',"detail":"a\xff\\udc00"}\n', events=1, repaired=1)
        self.assertEqual(run.events["fail"][0].o["detail"], "a\ufffd\ufffd")

    def test_torn(self):
        self.check(PUB[:30] + b"\n" + CTRL + b"\n", events=1, rejected=1)
        self.check(PUB[:30] + CTRL + b"\n", events=1, rejected=1, repaired=1)
        self.check(PUB[:30] + b"\0\0\0" + CTRL + b"\n", events=1, rejected=1, repaired=1)
        self.check(PUB + b"\n" + CTRL[:-1], lines=2, events=1, rejected=1)

    def test_rejected(self):
        self.check(PUB[:20] + b"\0\0" + PUB[20:] + b"\n", events=0, rejected=1)
        self.check(FAIL.replace(b',"why":"timeout"', b"") + b"}\n", events=0, rejected=1)
        for t in (b"1790000000.5", b'"1790000000000000001"', b"1.79e18", b"null", b"true"):
            self.check(PUB.replace(b"1790000000000000001", t) + b"\n", events=0, rejected=1)
        self.check(b"garbage\n[1]\n7\n{}\n", events=0, rejected=4)

    def test_two_values(self):
        self.check(FAIL + b',"t":1}\n', events=0, rejected=1)
        self.check(FAIL + b',"why":"timeout"}\n', events=1)
        self.check(FAIL + b',"zzz":1,"zzz":2}\n', events=1)
        self.check(FAIL + b',"ev":"pub"}\n', events=0, rejected=1)

    def test_line_limit(self):
        pad = b" " * (16 << 20)
        self.check(PUB + pad + b"\n" + CTRL + b"\n", events=1, rejected=1)

    def test_unknown_and_lenient(self):
        self.check(b'{"ev":"novel","x":1}\n', events=1, unknown_events=1)
        self.check(b'{"ev":"ctrl","t":1,"id":"7","code":"x"}\n', events=1)
        self.check(b'{"ev":"ctrl","t":1,"code":202}\n', events=0, rejected=1)
        big = PUB.replace(b"m1", "\u00e9\U0001f600\\ud83d\\ude00".encode())
        self.check(big + b"\n", events=1)

    def test_sent_again(self):
        run = read({"agents/a/1.jsonl": PUB + b"\n", "agents/a/2.jsonl": CTRL + b"\n" + PUB,
                    "agents/b/1.jsonl": PUB + b"\n", "db/1.jsonl": CTRL + b"\n" + CTRL,
                    "db/2.jsonl": CTRL + b"\n" + CTRL, "db/3.jsonl": CTRL + b"\n"})
        self.assertEqual((run.count["events"], run.count["resent"]), (9, 3))

    def test_what_is_read(self):
        run = read({"run.json": b"{}", "agents/a/x.jsonl": PUB, "agents/a/deep/x.jsonl": PUB,
                    "agents/x.jsonl": PUB, "notes.txt": b"", "report.md": b"",
                    "impaudit.db-wal": b"", "metrics/p@load_start.prom": b"",
                    "logs/pod/c.log.1.gz": b"", "history/h.csv": b""})
        self.assertEqual(run.not_read, ["agents/a/deep/x.jsonl", "agents/x.jsonl",
                                        "history/h.csv", "notes.txt"])
        self.assertEqual(len(run.files), 4)


if __name__ == "__main__":
    unittest.main()

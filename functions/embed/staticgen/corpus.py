#!/usr/bin/env python3
"""Write the corpus of short texts that distill.py fits to: WordNet glosses and examples, and Debian package descriptions.

    corpus.py --wordnet DIR --out corpus.json

DIR holds data.noun, data.verb, data.adj and data.adv of Debian's package wordnet-base. Descriptions come from `apt-cache dumpavail`.
The choice is seeded; the same inputs give the same file.
"""
import argparse
import json
import random
import re
import subprocess

GLOSSES, PACKAGES = 24000, 12000


def glosses(folder):
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(f"{folder}/data.{part}", encoding="latin1"):
            if line[0] == " " or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            lemmas = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
            plain = re.sub(r';?\s*"[^"]*"', "", gloss).strip(" ;\n")
            yield ", ".join(lemmas[:3]) + ": " + plain
            yield from re.findall(r'"([^"]{15,})"', gloss)


def packages():
    dump = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    for short, long in re.findall(r"^Description(?:-en)?: (.*)\n((?: .*\n)*)", dump, re.M):
        yield (short + ". " + re.sub(r"\n ?", " ", long).replace(" . ", " "))[:240]


def sample(texts, n):
    texts = sorted(set(texts))
    random.shuffle(texts)
    return texts[:n]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--wordnet", required=True)
    ap.add_argument("--out", default="corpus.json")
    args = ap.parse_args()
    random.seed(7)
    texts = sample(glosses(args.wordnet), GLOSSES) + sample(packages(), PACKAGES)
    random.shuffle(texts)
    with open(args.out, "w") as f:
        json.dump(texts, f)
    print(len(texts), "texts, mean length", sum(map(len, texts)) // len(texts))


if __name__ == "__main__":
    main()

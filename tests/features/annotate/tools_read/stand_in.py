"""A stand-in for MedCAT with the calls and answers of the real one (2.9.0), in a real environment of its own.

It finds the words of ``terms.json`` in the folder that stands for the model pack. That folder also says how
it is to misbehave.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MEDCAT = """
import json, os, re, subprocess, sys, time


class CAT:
    def __init__(self, pack):
        self.pack = pack

    @classmethod
    def load_model_pack(cls, path):
        with open(os.path.join(path, "terms.json")) as file:
            pack = json.load(file)
        print("a tool that talks", os.environ.get("PYTHONPATH", "knows no other path"))
        if pack.get("fails"):
            sys.exit("no vocabulary in this pack")
        if pack.get("sleeps"):
            other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            with open(pack["sleeps"], "w") as file:
                file.write(f"{os.getpid()} {other.pid}")
            time.sleep(600)
        return cls(pack)

    def get_entities(self, text):
        found = {}
        for word, cui in self.pack["terms"].items():
            for at in re.finditer(word, text.lower()):
                no = "Yes" if text.lower()[: at.start()].endswith("no ") else "No"
                meta = {"Negation": {"value": no, "confidence": 1.0, "name": "Negation"}}
                end = at.end() + self.pack.get("beyond", 0)
                found[len(found)] = {
                    "cui": cui, "pretty_name": word, "start": at.start(), "end": end, "acc": 1,
                    "context_similarity": 0.75, "meta_anns": meta,
                }
        return {"entities": found, "tokens": []}
"""
QUICKUMLS = """
import json, os, re


class QuickUMLS:
    def __init__(self, quickumls_fp, window=5, threshold=0.7):
        assert (window, threshold) == (5, 1.0)
        with open(os.path.join(quickumls_fp, "terms.json")) as file:
            self.terms = json.load(file)["terms"]

    def match(self, text, best_match=True, ignore_syntax=False):
        assert ignore_syntax
        return [
            [{"start": at.start(), "end": at.end(), "ngram": at[0], "term": word, "cui": cui,
              "similarity": 1.0, "semtypes": {"T047"}, "preferred": 1}]
            for word, cui in self.terms.items() for at in re.finditer(word, text.lower())
        ]
"""
FILES = {
    "medcat/__init__.py": "",
    "medcat/cat.py": MEDCAT,
    "medcat-2.9.0.dist-info/METADATA": "Name: medcat\nVersion: 2.9.0\n",
    "quickumls/__init__.py": QUICKUMLS,
}
TERMS = {"effusion": "C0032227", "chest": "C0817096"}


def write_environment(folder: Path) -> Path:
    """An environment with both stand-ins, made as Python makes them, without pip."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    for name, text in FILES.items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(text)
    return folder


def write_pack(folder: Path, **behaviour: object) -> str:
    """What stands for a model pack or a QuickUMLS folder."""
    folder.mkdir(parents=True)
    (folder / "terms.json").write_text(json.dumps({"terms": TERMS, **behaviour}))
    return str(folder)

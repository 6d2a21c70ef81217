"""A small whole file for every reader, and ways to hurt it."""

import gzip
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from evalcore.evaluate.coverage import coverage
from evalcore.features.annotate.settings import AnnotateSettings, parse_settings, settings_text
from evalcore.features.annotate.tool_output import parse_tool_output
from evalcore.features.imageclef.editions import edition_of
from evalcore.features.imageclef.scoring import read_concepts, read_values
from evalcore.features.imageclef.submissions import open_submission, read_submission, read_truth
from evalcore.features.imageclef.uploads import content_of
from evalcore.features.review.exchange import csv_of, json_of, parse_judgments
from evalcore.features.review.files import parse_task
from evalcore.features.satisfaction.data import read_lists, read_ratings
from evalcore.features.synthetic.files import parse_features, parse_weights
from evalcore.features.synthetic.groups import read_groups, source_of
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.study import open_study
from evalcore.study.concept_ratings import parse_ratings
from evalcore.study.parts.labels import derive_labels, parse_label_map
from evalcore.study.reader_judgments import parse_reader_judgments
from evalcore.study.tables.archives import unpack
from evalcore.values.errors import InputError, Report
from evalcore.values.model import ConceptSets, Study
from tests.features.review.made import EVERY_KIND
from tests.study.made import parquet, png, write, zipped

A, B, C = "C0040405", "C0817096", "C1306645"
IMAGES = ("a", "b", "c", "d")
TASK = """title = "Chest"
form = "graded"
systems = ["hog", "texture"]
queries = ["img_1", "img_7"]
"""
VECTORS = np.array([[3, 4], [0, 1], [1, 0], [1, 1]], np.float32)
TREC = "a Q0 b 1 0.9 s\na Q0 c 2 0.5 s\nb Q0 d 1 7e-1 s\nb Q0 a 2 .1 s\n"

Feed = Callable[[bytes, Path], Report]
"""What reads (and binds) a file of these bytes, in an empty folder of its own."""


@dataclass(frozen=True)
class Reader:
    """A reader as the program uses it, with whole files it reads without an error."""

    feed: Feed
    whole: tuple[bytes, ...]


def saved(save: Callable[..., None], *arrays: object, **named: object) -> bytes:
    out = io.BytesIO()
    save(out, *arrays, **named)
    return out.getvalue()


WHOLE: Mapping[str, bytes] = {
    "concepts.csv": f"ID,CUIs\nb,{B}\na,{A};{B}\nc,\nd\n".encode(),
    "captions.csv": b'ID,Caption\na,"a ""CT"", axial"\nb,chest\nc,none\nd,none\n',
    "labels.csv": b"ID,modality,organ\na,CT,chest;head\nb,XR,\nc,MR,\nd,,head\n",
    "graph/edges.csv": f"child,parent,source,rela\n{A},{B},MSH,isa\n{B},{C},MSH,isa\n".encode(),
    "names.csv": f"cui,name\n{A},Tomography\n{B},Head\n".encode(),
    "queries.txt": b"ID\na\nb\n",
    "systems/one/run.trec": TREC.encode(),
    "systems/two/embeddings.npz": saved(np.savez, ids=np.array(IMAGES), vectors=VECTORS),
    "study.toml": b'name = "One"\n[graph]\nsources = ["MSH"]\n[concept_vectors.v]\nmetric = "poincare"\n',
}
"""A study."""


def study_with(folder: Path, path: str, data: bytes, *instead: str, **options: str) -> Study:
    """The study with a file in the place of others of it."""
    files = {name: whole for name, whole in WHOLE.items() if name not in instead}
    return open_study(write(folder, files | {path: data}), **options)


def in_a_study(path: str, *instead: str, **options: str) -> Feed:
    """The file in the study: it opens, where concepts can be read, with all the other files."""

    def feed(data: bytes, folder: Path) -> Report:
        try:
            study = study_with(folder, path, data, *instead, **options)
        except InputError as reason:
            assert path in ("concepts.csv", "data/s.parquet") and reason.report is not None
            return reason.report
        coverage(study)
        if path not in ("concepts.csv", "study.toml", "data/s.parquet"):
            assert {p.file for p in study.report.of_severity("error")} <= {path}
            assert len(study.runs) + ("/one/" in path) >= 1 <= len(study.embeddings) + ("/two/" in path)
        return study.report.of_file(path)

    return feed


def parsed(parse: Callable[..., tuple[object, Report]], file: str, **options: object) -> Feed:
    return lambda data, _: parse(data, file=file, **options)[1]


def _measured(data: bytes, folder: Path) -> Report:
    group = source_of("images", write(folder, {"images.zip": data}) / "images.zip")
    return read_groups([group], settings=ImageSettings())[1]


def _label_map(data: bytes, _folder: Path) -> Report:
    rows, report = parse_label_map(data, file="label_map.csv")
    derive_labels(rows, ConceptSets.of({"a": (A, B), "b": (B,), "c": (), "d": None}))
    return report


def _array_inside(name: str) -> Feed:
    """The mutated bytes as one array of an otherwise whole archive."""
    whole = {"ids": saved(np.save, np.array(IMAGES)), "vectors": saved(np.save, VECTORS)}

    def feed(data: bytes, folder: Path) -> Report:
        arrays = {f"{key}.npy": data if key == name else whole[key] for key in whole}
        return in_a_study("systems/two/embeddings.npz")(zipped(**arrays), folder)

    return feed


def _raising(read: Callable[..., object], *args: object) -> Feed:
    """What raises all that is wrong: the report of the error."""

    def feed(data: bytes, _folder: Path) -> Report:
        try:
            read(data, "x.csv", *args)
        except InputError as error:
            assert "x.csv" in str(error)
            return error.report or Report()
        return Report()

    return feed


def _challenge(task: str, year: str) -> Feed:
    """A file as the truth of a challenge, and as a run against a sound truth."""
    rules = edition_of(task, year)
    truth = _raising(lambda data, file: read_truth(data, file=file, edition=rules))

    def feed(data: bytes, folder: Path) -> Report:
        sound = read_truth(f"a{rules.cell}{A}\n".encode(), file="truth", edition=rules)
        _, report = read_submission(data, name=f"{rules.prefix}run", truth=sound, edition=rules)
        return report + truth(data, folder)

    return feed


MRREL = (
    f"{B}|A1|AUI|PAR|{A}|A2|AUI|inverse_isa|R1||MSH|MSH|||N||\n"
    f"{A}|A2|AUI|CHD|{B}|A1|AUI|isa|R2||MSH|MSH|||N||\n"
)
MRCONSO = (
    f"{A}|ENG|P|L1|PF|S1|Y|A1||M1||MSH|MH|D1|Tomography|0|N||\n"
    f"{B}|GER|P|L1|PF|S1|Y|A1||M1||MSH|MH|D1|Kopf|0|N||\n"
)
OBO = (
    f"format-version: 1.2\n\n[Term]\nid: X:1\nname: one\nxref: UMLS:{A}\nis_a: X:2 ! two\n\n[Term]\nid: X:2\n"
)
MEDCAT = f'{{"a": {{"entities": {{"0": {{"cui": "{A}", "start": 0, "end": 5, "acc": 1.0}}}}}}}}'
QUICKUMLS = f'{{"a": [[{{"cui": "{A}", "start": 0, "end": 5, "similarity": 1.0}}]]}}\n{{"b": []}}\n'
GRAPHML = (
    '<?xml version="1.0"?><graphml><key id="d0" for="node" attr.name="cui"/><graph edgedefault="directed">'
    f'<node id="n"><data key="d0">{A}</data></node><edge source="n" target="{B}"/></graph></graphml>'
)
SHARD = {
    "image": [{"bytes": b"1", "path": "a.jpg"}, {"bytes": b"2", "path": "b.jpg"}],
    "image_id": ["b", "a"],
    "caption": ["CT", None],
    "cui": [[A, B], [C]],
}
RUNS = (
    TREC.encode(),
    TREC.replace(" ", "\t").encode(),
    b"query,candidate,score,rank\na,b,0.9,1\na,c,.5,2\n",
    b'"query","candidate","score"\n"a","b",0.9\n',
    gzip.compress(TREC.encode(), mtime=0),
)
TOML = (
    'name = "One"\n[files]\ncaptions = ""\ngraph = ["graph/edges.csv"]\n'
    '[systems.one]\nrun = "systems/one/run.trec"\n[graph]\nsources = ["MSH"]\n'
)
SUBMISSION = b"ID,CUIs\na,C0040405\n"

READERS: Mapping[str, Reader] = {
    "concepts": Reader(
        in_a_study("concepts.csv"),
        (
            WHOLE["concepts.csv"],
            f"a\t{A};{B}\nb\t{C}\n".encode(),
            f'ID,Caption,CUIs\na,"one, two",{A};{B}\n'.encode(),
            gzip.compress(f"a\t{A};{B}\n".encode(), mtime=0),
        ),
    ),
    "captions": Reader(in_a_study("captions.csv"), (WHOLE["captions.csv"],)),
    "labels": Reader(in_a_study("labels.csv"), (WHOLE["labels.csv"],)),
    "relevance of lists": Reader(
        parsed(read_lists, "r.csv", scale=(0, 3)),
        (b"query,position,row,relevance\na,1,1,3\na,2,1,-1\na,3,2,0.5\nb,1,1,2\n",),
    ),
    "satisfaction": Reader(
        parsed(read_ratings, "s.csv"),
        (b"query,user,satisfaction,task\na,anna,4,t1\nb,anna,1,t1\na,bob,2,\n",),
    ),
    "features": Reader(
        parsed(parse_features, "features.csv"),
        (b'ID,red.mean,"a,b"\na,0.5,1e3\nb,,undefined\nc,nan,-2\n', b"ID\tf\na\t1\n"),
    ),
    "weights": Reader(
        parsed(parse_weights, "weights.csv", names=pd.Index(["red.mean", "blue.mean"])),
        (b"feature,weight\nred.mean,0.5\nblue,2\n",),
    ),
    "measured images": Reader(_measured, (zipped(**{"b.png": png(9), "c/d.png": png(9)}),)),
    "label map": Reader(_label_map, (f"label_type,label,cui\norgan,chest,{B}\norgan,head,{A}\n".encode(),)),
    "ids": Reader(in_a_study("queries.txt"), (WHOLE["queries.txt"],)),
    "kinds": Reader(in_a_study("kinds.csv"), (f"cui,kind\n{A},modality\n".encode(),)),
    "neighbours": Reader(
        in_a_study("neighbours.csv", "graph/edges.csv"), (f"cui,neighbour,distance\n{A},{B},1\n".encode(),)
    ),
    "edges": Reader(in_a_study("graph/edges.csv"), (WHOLE["graph/edges.csv"], f"{A};{B};MSH\n".encode())),
    "OBO": Reader(in_a_study("graph/x.obo"), (OBO.encode(),)),
    "results of tools": Reader(
        parsed(parse_tool_output, "x.json", captions={"a": "Chest CT", "b": None}),
        (MEDCAT.encode(), QUICKUMLS.encode()),
    ),
    "GraphML": Reader(in_a_study("graph/x.graphml"), (GRAPHML.encode(),)),
    "packed MRREL": Reader(in_a_study("graph/MRREL.RRF.gz"), (gzip.compress(MRREL.encode(), mtime=0),)),
    "names": Reader(in_a_study("names.csv"), (WHOLE["names.csv"],)),
    "packed MRCONSO": Reader(
        in_a_study("MRCONSO.RRF.gz", "names.csv"), (gzip.compress(MRCONSO.encode(), mtime=0),)
    ),
    "run": Reader(in_a_study("systems/one/run.trec"), RUNS),
    "run with unknown ids": Reader(in_a_study("systems/one/run.trec", unknown="zero"), RUNS),
    "JSON run": Reader(
        in_a_study("systems/one/run.json", "systems/one/run.trec"),
        (b'{"a": {"b": 0.9,\n "c": 5e-1},\n "b": {"\\u0064": 7, "a": 0.1}}',),
    ),
    "npz": Reader(
        in_a_study("systems/two/embeddings.npz"),
        (
            WHOLE["systems/two/embeddings.npz"],
            saved(
                np.savez_compressed, names=np.array([b"a", b"b", b"c", b"d"]), x=VECTORS.astype(np.float64)
            ),
        ),
    ),
    "ids in a npz": Reader(_array_inside("ids"), (saved(np.save, np.array(IMAGES)),)),
    "vectors in a npz": Reader(_array_inside("vectors"), (saved(np.save, VECTORS),)),
    "parquet": Reader(
        in_a_study("systems/two/embeddings.parquet", "systems/two/embeddings.npz"),
        (
            parquet({"id": list(IMAGES), "vector": VECTORS.tolist()}),
            parquet({"image_id": list(IMAGES), "0": VECTORS[:, 0], "1": VECTORS[:, 1]}),
        ),
    ),
    "concept vectors": Reader(
        in_a_study("concept_vectors/v.txt"),
        (
            f"2 2\n{A} 0.1 0.2\n{B} -0.3 0.4\n".encode(),
            f'"","V1","V2"\n"{A}",0.1,0.2\n"{B}",-3e-1,.4\n'.encode(),
            saved(np.savez, cuis=np.array([A, B]), vectors=VECTORS[:2] / 10),
            parquet({"cui": [A, B], "vector": (VECTORS[:2] / 10).tolist()}),
        ),
    ),
    "judged": Reader(
        in_a_study("judgments/p.qrels"), (b"a 0 b 1\na\t0\tc\t0\n", b"query,result,value\na,b,2\n")
    ),
    "pairs": Reader(in_a_study("pairs.csv"), (b"query,candidate\na,b\n",)),
    "texts that ask": Reader(
        in_a_study("queries.csv", "queries.txt"), (f"id,kind,text,concepts\nt1,text,A heart,{A}\n".encode(),)
    ),
    "concept ratings": Reader(
        parsed(parse_ratings, "r.csv"),
        (f'"Mean","CUI1","CUI2"\n10,"{A}","{B}"\n2.5,"{A}","{C}"\n-1e0,"{B}","{C}"\n'.encode(),),
    ),
    "shards": Reader(in_a_study("data/s.parquet", "concepts.csv"), (parquet(SHARD),)),
    "task": Reader(lambda data, _: parse_task(data, name="t", file="t.toml")[1], (TASK.encode(),)),
    "annotate.toml": Reader(
        parsed(parse_settings, "annotate.toml"),
        (settings_text(AnnotateSettings(), Path("no-such-folder")).encode(),),
    ),
    "judgments": Reader(parsed(parse_judgments, "j.csv"), ("".join(csv_of(EVERY_KIND)).encode(),)),
    "judgments of readers": Reader(
        parsed(parse_reader_judgments, "j.csv"),
        (b"reader,query,result,system,other,criterion,depth,value\nR1,q,x,,,,5,0.5\nR1,q,,a,b,,5,-1\n",),
    ),
    "judgments in JSON": Reader(parsed(parse_judgments, "j.json"), ("".join(json_of(EVERY_KIND)).encode(),)),
    "study.toml": Reader(in_a_study("study.toml"), (TOML.encode(),)),
    "images": Reader(in_a_study("images.zip"), (zipped(**{f"{image}.png": png(9) for image in IMAGES}),)),
    "zip": Reader(
        lambda data, folder: unpack(data, folder / "new"), (zipped(**{"x/concepts.csv": SUBMISSION}),)
    ),
    "submission": Reader(
        lambda data, _: open_submission(data, name="s.zip")[1], (zipped(**{"submission.csv": SUBMISSION}),)
    ),
    "concepts of 2025": Reader(_challenge("concepts", "2025"), (SUBMISSION,)),
    "concepts of 2017": Reader(_challenge("concepts", "2017"), (SUBMISSION[8:].replace(b",", b"\t"),)),
    "captions of 2026": Reader(_challenge("captions", "2026"), (b'ID,Caption\na,"one, ""two"""\n',)),
    "captions of 2022": Reader(_challenge("captions", "2022"), (b"a|one, two\n",)),
    "values of captions": Reader(
        _raising(read_values, ("a", "b")), (b"ID,BERTScore,BLEURT\na,0.5,0.1\nb,,1e-3\n",)
    ),
    "an upload of a challenge": Reader(_raising(lambda data, _: content_of(data)), (SUBMISSION,)),
    "concepts of captions": Reader(
        _raising(read_concepts, ("a", "b")), (SUBMISSION, gzip.compress(SUBMISSION, mtime=0))
    ),
}


SIGNS = tuple(bytes([sign]) for sign in b'\0\xff\xe9"\n\r')
ODD = (*SIGNS, b"\xed\xa0\x80", b"\t\t", b"inf", b"1e400", b"9" * 40, b"\\ud800")
WOUNDS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "put", "insert", "cut", "double", "end", "splice"]),
        st.integers(0, 1 << 16),
        st.integers(1, 64),
        st.sampled_from(ODD) | st.binary(min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=5,
)


def hurt(data: bytes, wounds: list[tuple[str, int, int, bytes]], other: bytes) -> bytes:
    """The bytes with wounds: (kind, place, length, new bytes), places counted round the end."""
    for kind, place, length, fresh in wounds:
        at = place % (len(data) + 1)
        end = min(at + length, len(data))
        stop, new = {
            "flip": (at + 1, bytes(byte ^ (1 << length % 8) for byte in data[at : at + 1])),
            "put": (at + len(fresh), fresh),
            "insert": (at, fresh),
            "cut": (end, b""),
            "double": (end, 2 * data[at:end]),
            "end": (len(data), b""),
            "splice": (len(data), other[place % (len(other) + 1) :]),
        }[kind]
        data = data[:at] + new + data[stop:]
    return data

"""All teams on the challenge page: a zip scored, ranked, and who sent what."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef import read as workspace
from evalcore.features.imageclef.page import files as keys
from evalcore.features.imageclef.page import organisers
from evalcore.features.imageclef.page.sections import CAMPAIGN
from tests.features.imageclef.page.app import GOOD, HALF, PAGE, TRUTH, bring, settled, text
from tests.ui.conftest import said

Open = Callable[..., AppTest]


def zipped(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.csv", data)
    return stream.getvalue()


def boards_of(app: AppTest) -> list[list[tuple[object, ...]]]:
    tables = [one.value for one in app.dataframe if "Rank" in one.value]
    return [list(zip(table["Rank"], table["Team"], table["Run"], strict=True)) for table in tables]


def test_all_teams(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **{keys.SOURCE: CAMPAIGN})
    assert "Upload a ground truth and a zip of all submissions." in text(said(app))
    bring(app, "truth", [("truth.csv", TRUTH)])
    every = zipped(A__one=HALF, A__two=GOOD, B__x__external=HALF, B__broken=b"ID,CUIs\n")
    app = bring(app, "submissions", [("all.zip", every)])
    assert not app.exception
    assert boards_of(app) == [[(1, "A", "two")], [(1, "B", "x")]]
    (failed,) = [one.value for one in app.dataframe if "Refused because of" in one.value]
    assert failed["File"].tolist() == ["B__broken.csv"]
    app.query_params[organisers.RANK] = "All runs"
    app = settled(app.run())
    assert boards_of(app) == [[(1, "A", "two"), (2, "A", "one")], [(1, "B", "x")]]
    workspace.keep("concepts", "entries", "entries.csv", b"file,team\nA__one.csv,Zeta\n")
    assert boards_of(settled(app.run()))[0] == [(1, "A", "two"), (2, "Zeta", "one")]

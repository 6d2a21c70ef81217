"""Steps of a reader on the challenge page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

PAGE = "pages/7_Challenge.py"
TRUTH = b"ID,CUIs\nq1,C0000001;C0000003\nq2,C0000001\n"
GOOD = b"ID,CUIs\nq1,C0000001\nq2,C0000001\n"


def given(app: AppTest, truth: bytes, runs: dict[str, bytes]) -> AppTest:
    """The page after these files were brought, one widget after the other as a reader does."""
    bring(app, "truth_file", [("truth.csv", truth)])
    return bring(app, "run_files", list(runs.items()))


def bring(app: AppTest, part: str, files: list[tuple[str, bytes]]) -> AppTest:
    (widget,) = [one for one in app.file_uploader if str(one.key).startswith(f"{part}-")]
    uploads = [(name, data, "application/octet-stream") for name, data in files]
    widget.set_value(uploads if part == "run_files" else uploads[0])
    return settled(app.run())


def settled(app: AppTest) -> AppTest:
    """The page once nothing computes in the background any more."""
    for _ in range(100):
        if not any(button.label == "Cancel" for button in app.button):
            return app
        app.run()
    raise AssertionError("still computing")

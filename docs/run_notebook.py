"""Run the notebook of docs/tutorial and keep what its cells show; a test does the same and compares.

    python -m docs.run_notebook

No kernel of Jupyter is needed: cells are run one after the other with the same names, and the value of a
cell's last line is kept as a notebook shows it: HTML, a picture of a figure, or text.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parent / "tutorial" / "notebook.ipynb"
WIDTH, HEIGHT = 700, 360
"""Of pictures, in pixels."""


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """What a cell prints, and the value of its last line; None if that is not an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue(), value


def shown(value: Any) -> dict[str, Any]:
    """A value by the types of content that a notebook can show."""
    if hasattr(value, "to_image"):  # a figure of plotly
        picture = value.to_image(format="png", width=WIDTH, height=HEIGHT)
        return {"image/png": base64.b64encode(picture).decode(), "text/plain": ["a figure"]}
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = [value._repr_html_()]
    return data


def outputs_of(printed: str, value: Any, number: int) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = []
    if printed:
        lines = printed.splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines})
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
        outputs.append({**result, "data": shown(value)})
    return outputs


def main() -> None:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # cells write files
        for number, cell in enumerate(code_cells(notebook), start=1):
            printed, value = run_cell("".join(cell["source"]), names)
            cell["execution_count"], cell["outputs"] = number, outputs_of(printed, value, number)
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()

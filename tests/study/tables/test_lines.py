import pytest

from evalcore.study.tables import files as lines
from evalcore.study.tables.problems import Problems


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a,b\n", None), (b"a,b\r\n", None), (b"a,b\r", None), (b"", None), (b"a,b\nc,d", 2), (b"a", 1)],
)
def test_a_last_line_without_an_end_gets_a_remark(data, line):
    found = Problems("f.csv")
    lines.report_open_end(found, data)
    assert [str(p) for p in found.report().of_severity("warning")] == (
        []
        if line is None
        else [
            f"f.csv:{line}: The last line has no line end. "
            "If the file was cut off while it was copied, copy it again; else nothing is amiss."
        ]
    )

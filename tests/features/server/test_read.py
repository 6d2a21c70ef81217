"""What a ``server.toml`` says, and that nothing wrong in it is passed over."""

from __future__ import annotations

import pytest

from evalcore.features.server.read import Limits, ServerSettings, parse_settings, read_settings
from evalcore.values.errors import InputError

WHOLE = """\
administrators = ["Ada@example.org"]
allowed = ["*@example.org"]

[proxy]
header = "Remote-User"
trusted = ["10.0.0.0/24"]

[shared]
"ROCO" = "{folder}"

[limits]
file_bytes = "1.5 GB"
jobs = 3
"""


def test_everything_in_the_file(tmp_path):
    file = tmp_path / "server.toml"
    file.write_text(WHOLE.format(folder=tmp_path))
    settings = read_settings(file)
    assert (settings.header, settings.shared) == ("Remote-User", {"ROCO": tmp_path})
    assert settings.limits == Limits(file_bytes=1_500_000_000, jobs=3)
    assert settings.trusts("10.0.0.7")
    assert not settings.trusts("127.0.0.1"), "the addresses named replace the loopback"
    assert settings.administers("ada@EXAMPLE.org") and settings.admits("eve@example.org")
    assert not settings.admits("eve@example.org.evil.net")


def test_without_a_file_only_the_loopback_is_trusted():
    settings = ServerSettings()
    assert settings.trusts("127.0.0.1") and settings.trusts("::1") and not settings.administers("")
    assert not any(map(settings.trusts, ("10.0.0.1", "", "localhost", "127.0.0.1, 1.2.3.4")))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('administrators = "ada"', "`administrators` must be a list of texts"),
        ("administrator = []", "Nothing is called 'administrator'"),
        ('[proxy]\nheader = "a b"', "`header` must be the name of an HTTP header"),
        ('[proxy]\ntrusted = ["proxy.example.org"]', "`trusted` must be addresses"),
        ("[proxy]\ntrusted = 3", "`trusted` must be addresses"),
        ('[shared]\nhere = "relative/path"', "`here` must be the absolute path"),
        ("[limits]\nfile_bytes = 5", "`file_bytes` must be a size"),
        ("[limits]\njobs = 0", "`jobs` must be a whole number above 0"),
        ("[limits]\njobs = true", "`jobs` must be a whole number above 0"),
        ("limits = 3", "`limits` must be a table"),
        ("a = ", "not TOML"),
    ],
)
def test_each_mistake_is_named_at_its_line(line, words, tmp_path):
    file = tmp_path / "server.toml"
    file.write_text(f"# rules\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_settings(file)
    assert caught.value.report is not None
    (problem,) = caught.value.report.problems
    assert words in problem.message
    assert problem.line == 2 + line.count("\n")
    _, report = parse_settings(f"x = 1\n{line}\n".encode(), file="server.toml")
    assert len(report.problems) == 1 + (line != "a = "), "all mistakes at once"

"""What is not installed is named where it is needed, with the extra to install; never a traceback."""

import sys

import pytest

from evalcore.cli import run
from evalcore.values import bundled, extras
from evalcore.values.errors import InputError
from tests.conftest import ROOT

DATA = ROOT / "data"


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in modules]:
        monkeypatch.delitem(sys.modules, name)
    for name in modules:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    ("module", "extra", "words"),
    [
        ("kaleido", "print", ["figures", "STUDY", "--out", "figures"]),
        ("distributed", "cluster", ["--scheduler", "tcp://127.0.0.1:9", "check", "STUDY"]),
    ],
)
def test_a_command_names_the_extra_it_needs(module, extra, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    without(monkeypatch, module)
    assert run([word.replace("STUDY", str(DATA)) for word in words]) == 2
    err = capsys.readouterr().err
    assert f"needs the package {module}, which is not installed." in err
    assert err.count(f'pip install ".[{extra}]"') == 1


def test_packages_that_do_not_fit_each_other_are_named_as_what_is_missing() -> None:
    """As torchvision says it beside another version of torch."""
    message = "ResNet-18 needs packages of which one cannot be imported: operator nms does not exist."
    with pytest.raises(InputError, match=message), extras.needs("models", "ResNet-18"):
        raise RuntimeError("operator nms does not exist")


def test_an_installed_program_names_itself_and_a_copy_of_the_repository_its_folder(monkeypatch):
    assert not bundled.INSTALLED and extras.how_to_install("print") == 'pip install ".[print]"'
    monkeypatch.setattr(extras, "INSTALLED", True)
    assert extras.how_to_install("print") == 'pip install "cuiscope[print]"'

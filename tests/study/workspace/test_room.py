"""Room on a server: nobody keeps more than allowed, nor all together; nothing is limited for one person."""

from __future__ import annotations

import errno
import gc
import io
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

from evalcore.study.tables import archives
from evalcore.study.workspace import disk_cache, recognise, room, workspace
from evalcore.study.workspace.home import home, make_folder, server_home, write_new
from evalcore.values import account
from evalcore.values.account import Account, acting
from evalcore.values.errors import InputError
from evalcore.values.limits import Limits, set_limits

ADA, EVE = Account("ada@example.org", "Ada"), Account("eve@example.org", "Eve")
K = 4096
CONCEPTS = b"ID,CUIs\na,C0040405\nb,C0041618\n"


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """serve(user_bytes=...) -> this process is a server with these limits, to the byte."""
    monkeypatch.setattr(room, "SPARE", 0)

    def on(**limits: int) -> None:
        set_limits(Limits(**limits))
        account.serve(lambda: None)

    yield on
    account.serve(None)
    set_limits(Limits())


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def keep(name: str, size: int) -> None:
    write_new(home() / "studies" / "s" / name, bytes(size))


def in_blocks(top: Path) -> int:
    """What ``du`` would say of a file system with blocks of 4 kB."""
    sizes = [-(-path.stat().st_size // K) * K if path.is_file() else K for path in [top, *top.rglob("*")]]
    return sum(max(size, K) for size in sizes)


def test_one_person_keeps_what_they_like() -> None:
    keep("a", 50 * K)
    assert room.usage() is None
    room.check_file("a.csv", 10**12)
    assert room.most_unpacked(7) == 7


def test_a_measure_is_what_the_disk_is_used_for(tmp_path: Path) -> None:
    for name, size in {"a": 0, "b/c": 1, "b/d/e": K, "b/d/f": K + 1}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    (tmp_path / "loop").symlink_to(tmp_path)
    assert room.measure(tmp_path) == in_blocks(tmp_path / "a") + in_blocks(tmp_path / "b") + 2 * K
    assert room.measure(tmp_path / "none") == 0


def test_a_user_keeps_as_much_as_allowed_and_is_told_what_is_used(serve) -> None:
    serve(user_bytes=20 * K)
    with acting(ADA):
        keep("a", 10 * K)
        with pytest.raises(InputError, match=r"needs 37 kB more, and you may keep 82 kB, of which 49 kB"):
            keep("b", 9 * K)
        with pytest.raises(InputError, match=r"\(studies 49 kB\)\. Delete studies under"):
            keep("b", 9 * K)
        assert not (home() / "studies" / "s" / "b").exists()
        keep("b", 8 * K)
        usage = room.usage()
        assert usage is not None and usage.used == usage.parts["studies"] == in_blocks(home() / "studies")
        write_new(home() / "recent.json", bytes(50 * K))  # bounded by itself
        write_new(server_home() / "cache" / "vectors" / "x", bytes(50 * K))
    with acting(EVE):
        keep("a", 10 * K)


def test_who_keeps_all_they_may_can_still_rename_and_remove(serve, monkeypatch) -> None:
    serve(user_bytes=40 * K)
    with acting(ADA):
        study, _ = workspace.add_first_part("s", "concepts", "concepts.csv", CONCEPTS)
        workspace.add_part(study, "run", "hog.csv", b"query,candidate,score\na,b,1\n")
        used = room.usage().used
        serve(user_bytes=used)
        with pytest.raises(InputError):
            workspace.say(study, name="Chest")
        monkeypatch.setattr(room, "SPARE", 1 << 20)
        workspace.say(study, name="Chest")
        workspace.remove_system(study, "hog")
        workspace.delete_study(study)
        with pytest.raises(InputError):
            keep("b", room.SMALL + 1)


def test_what_was_deleted_makes_room_at_once(serve) -> None:
    serve(user_bytes=20 * K)
    with acting(ADA):
        keep("a", 17 * K)
        (home() / "studies" / "s" / "a").unlink()
        keep("b", 17 * K)
        with pytest.raises(InputError):
            keep("c", 17 * K)


def test_all_users_together_are_limited(serve) -> None:
    serve(user_bytes=20 * K, all_bytes=30 * K)
    with acting(ADA):
        keep("a", 15 * K)
    with acting(EVE):
        with pytest.raises(InputError, match="all users together may keep 123 kB, of which 78 kB are used"):
            keep("a", 15 * K)
        keep("a", 8 * K)
    with acting(ADA):
        shutil.rmtree(home())
    with acting(EVE):
        keep("b", 8 * K)


@pytest.mark.parametrize("users", [(ADA, ADA), (ADA, EVE)])
def test_two_at_once_cannot_pass_the_limit_together(
    serve, monkeypatch, users: tuple[Account, Account]
) -> None:
    """Both ask before either writes: where writing waits for the other, one is refused."""
    same = users[0] == users[1]
    serve(user_bytes=(20 if same else 100) * K, all_bytes=(100 if same else 24) * K)
    both, outcomes = Barrier(2), []
    for user in users:
        with acting(user):
            make_folder(home() / "studies" / "s")

    def upload(user: Account, name: str) -> None:
        with acting(user):
            both.wait(10)
            try:
                with room.taking(home() / "studies" / "s" / name, [12 * K]):
                    both.wait(10)
            except InputError as reason:
                outcomes.append(str(reason))
                both.wait(10)

    threads = [Thread(target=upload, args=(user, f"f{n}")) for n, user in enumerate(users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    (refused,) = outcomes
    assert refused.startswith("This needs 49 kB more")


def test_a_walk_in_the_middle_of_an_upload_does_not_lose_it(serve) -> None:
    serve(user_bytes=20 * K)
    with acting(ADA):
        make_folder(home() / "studies")
        with room.taking(home() / "studies" / "a", [15 * K]):
            room.changed()
            assert room.usage().used == in_blocks(home() / "studies") + 15 * K
            with pytest.raises(InputError):
                keep("b", 6 * K)
        keep("b", 6 * K)  # nothing was written after all


def test_a_zip_may_not_unpack_to_more_than_allowed(serve, tmp_path: Path) -> None:
    serve(unpacked_bytes=100_000)
    bomb = zipped({"concepts.csv": CONCEPTS, "zeros.csv": bytes(100_001)})
    with acting(ADA):
        folder, report = workspace.add_study_zip("bomb", bomb)
        assert folder is None and [one.rule for one in report.problems] == ["zip-bomb"]
        assert "unpack to 100 kB; at most 100 kB" in report.problems[0].message
        assert workspace.recognise([("bomb.zip", bomb)])[0].kind == workspace.UNKNOWN
        assert list((home() / "studies").iterdir()) == []
        assert workspace.add_study_zip("fits", zipped({"concepts.csv": CONCEPTS}))[0] is not None


def test_a_zip_that_lies_about_its_size_is_no_way_around(serve, monkeypatch) -> None:
    """The list of contents says 10 bytes, the data are a megabyte: no more than it says is written."""
    serve(user_bytes=20 * K)
    honest = zipped({"zeros.csv": bytes(1_000_000)})
    size = (1_000_000).to_bytes(4, "little")
    lying = honest.replace(size, (10).to_bytes(4, "little"))
    assert lying != honest
    with acting(ADA):
        folder, report = workspace.add_study_zip("lie", lying)
        assert folder is None and report.total("error")
        assert room.measure(home()) < 20 * K


def test_a_zip_of_countless_folders_counts_them(serve, monkeypatch, tmp_path: Path) -> None:
    deep = zipped({f"{'/'.join(f'{n}_{i}' for i in range(20))}/f": b"" for n in range(30)})
    serve(user_bytes=600 * K)
    with acting(ADA):
        report = archives.unpack(deep, home() / "studies" / "deep")
        assert [one.rule for one in report.problems] == [archives.DISK_FULL]
        assert "needs 2.6 MB more" in report.problems[0].message  # 30 files, 600 folders and the top
    monkeypatch.setattr(archives, "MAX_ENTRIES", 300)
    assert [one.rule for one in archives.unpack(deep, tmp_path / "out").problems] == ["too-many-files"]


def test_an_uploaded_file_may_not_be_larger_than_allowed(serve) -> None:
    serve(file_bytes=100)
    large = CONCEPTS * 10
    with acting(ADA):
        for add in (
            lambda: workspace.add_first_part("s", "concepts", "concepts.csv", large),
            lambda: workspace.add_study_zip("s", large),
            lambda: disk_cache.keep_file("satisfaction", "s.csv", large),
        ):
            with pytest.raises(InputError, match="300 bytes; this server takes files of up to 100 bytes"):
                add()
        assert not home().exists()
        assert workspace.add_first_part("s", "concepts", "concepts.csv", CONCEPTS)[0] is not None


def test_a_disk_that_fills_in_between_leaves_no_trace_and_no_claim(serve, monkeypatch) -> None:
    serve(user_bytes=200 * K)
    held = zipped({"concepts.csv": CONCEPTS, "images/a.png": os.urandom(50 * K)})
    with acting(ADA):
        with monkeypatch.context() as disk:
            disk.setattr(shutil, "copyfileobj", _full)
            folder, report = workspace.add_study_zip("s", held)
        assert folder is None and [one.rule for one in report.problems] == [archives.DISK_FULL]
        assert list((home() / "studies").iterdir()) == []
        room.changed()
        assert room.usage().used == K
        assert workspace.add_study_zip("s", held)[0] is not None


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_files_that_do_not_fit_are_named_and_the_study_stays(serve) -> None:
    serve(user_bytes=20 * K)
    with acting(ADA):
        study, _ = workspace.add_first_part("s", "concepts", "concepts.csv", CONCEPTS)
        before = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
        captions = b"ID,Caption\na," + b"x" * 20 * K + b"\n"
        added = workspace.add_files(workspace.recognise([("captions.csv", captions)]), study)
        assert added.refused == ("captions.csv",) and not added.kept
        assert any("you may keep 82 kB" in one.message for one in added.report.problems)
        assert before == {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}


def test_what_pages_take_out_of_zips_is_bounded_for_each_and_for_all(serve, monkeypatch) -> None:
    serve(file_bytes=2_000)
    rows = b"".join(b"i%d,C0040405\n" % n for n in range(50))
    table = b"ID,CUIs\n" + rows
    zips = zipped({"a/concepts_one.csv": table, "b/concepts_two.csv": table})
    assert 1_000 < 2 * len(table) < 2_000
    with acting(ADA):
        first = workspace.recognise([("a.zip", zips), ("b.zip", zips)])
        assert [one.kind for one in first] == ["concepts", "concepts", workspace.UNKNOWN]
        assert "Add its files in several steps" in first[-1].report.problems[0].remedy and not first[-1].data
        monkeypatch.setattr(recognise, "_OF_ALL", 1)
        with acting(EVE):
            assert [one.kind for one in workspace.recognise([("a.zip", zips)])] == [workspace.UNKNOWN]
        del first
        gc.collect()
        assert [one.kind for one in workspace.recognise([("a.zip", zips)])] == ["concepts"] * 2


def test_what_all_users_share_is_kept_though_nobody_is_signed_in(serve) -> None:
    """Caches by content are written by threads that belong to no page; no workspace is made by that."""
    serve()
    place = disk_cache.place("neighbours", b"content", ".npz")
    disk_cache.keep(place, b"data", room=10**6)
    assert disk_cache.kept(place) == b"data" and not (server_home() / "users").exists()
    with acting(ADA):
        make_folder(home() / "studies")
        assert (home() / "cuiscope-workspace").is_file()


def test_a_zip_is_looked_at_where_it_counts(serve) -> None:
    """Not in a folder for temporary files, which all users would fill together."""
    serve(user_bytes=40 * K)
    large = zipped({"concepts.csv": CONCEPTS, "captions.csv": os.urandom(50 * K)})
    small = zipped({"a/concepts.csv": CONCEPTS, "captions.csv": b"ID,Caption\na,Chest CT\n"})
    with acting(ADA):
        (refused,) = workspace.recognise([("large.zip", large)])
        assert refused.kind == workspace.UNKNOWN
        assert any("you may keep 164 kB" in one.message for one in refused.report.problems)
        assert {one.kind for one in workspace.recognise([("small.zip", small)])} == {"concepts", "captions"}
        assert list((home() / "studies").iterdir()) == []

"""Two people on one server: what is one's is not the other's, and nobody changes what all read."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from uuid import uuid4

import pytest

from evalcore.features.review import store
from evalcore.features.server.read import VARIABLE
from evalcore.features.synthetic import uploads
from evalcore.features.synthetic.networks import resnet_vectors
from evalcore.study import open_study
from evalcore.study.workspace import kept_files
from evalcore.study.workspace.home import is_uploaded, make_folder, study_folder, without_home
from evalcore.study.workspace.removed import delete_study, remove_system
from evalcore.study.workspace.uploads import add_part
from evalcore.ui.data import sections
from evalcore.ui.frame import pages, studies
from evalcore.values.account import Account, NotAllowed, acting_as, serve
from evalcore.values.errors import InputError
from tests.features.review.made import judgment as made_judgment
from tests.study.made import content
from tests.ui.conftest import RUNS, plain, write_study

ADA = Account("ada@example.org", "Ada")
BOB = Account("bob@example.org", "Bob")
ROOT = Account("root@example.org", "Root", administrator=True)


@pytest.fixture
def server():
    """A process that serves several people; ``who`` is signed in, outside of `acting_as`."""
    here = SimpleNamespace(who=None)
    serve(lambda: here.who)
    yield here
    serve(None)


@pytest.fixture
def of_ada(server):
    """The study *chest* that Ada uploaded."""
    with acting_as(ADA):
        make_folder(study_folder("chest"))
        return write_study(study_folder("chest"))


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """``server.toml``, which shares a study *chest*."""
    file = tmp_path / "server.toml"
    file.write_text(f'[shared]\n"chest" = "{tmp_path / "chest"}"\n')
    monkeypatch.setenv(VARIABLE, str(file))
    return file


@pytest.fixture
def of_server(server, settings, tmp_path):
    """The study *chest* of the server, which all read."""
    return write_study(tmp_path / "chest")


def on_offer(account):
    with acting_as(account):
        return {entry.path for entry in studies.entries().values()}


def test_a_study_of_the_server_is_read_as_long_as_it_is_named(of_server, settings, open_app, server):
    server.who, gone = BOB, "which is not in this workspace"
    reader = open_app("pages/5_Data.py", link={"study": "chest", "part": pages.SYSTEMS})
    assert "shared with you: you can read and judge it" in plain(reader)
    assert not [box for box in reader.checkbox if str(box.key).startswith("allow-")]
    link = {"study": "chest", "review": "practice", "read": "yes", "reader": "R1"}
    app = open_app("pages/4_Readers.py", link=link)
    assert "You judge as bob@example.org" in plain(app), "whatever the address says"
    assert not app.text_input and "reader" not in app.query_params
    assert not any(gone in warning.value for warning in reader.warning)
    settings.write_text("[shared]\n")
    assert any(gone in warning.value for warning in reader.run().warning)
    assert of_server not in on_offer(BOB)


def test_a_study_of_the_server_is_changed_by_nobody_who_reads_it(of_server):
    before, captions = content(of_server), ("captions", "c.csv", b"ID,Caption\nq1,x\n")
    with acting_as(BOB):
        entry = studies.entries()["chest"]
        assert (entry.path, entry.origin) == (of_server, "shared by the server")
        assert not (is_uploaded(entry.path) or studies.is_allowed(entry.path) or studies.manages(entry))
        for change in (
            lambda: remove_system(of_server, "alpha"),
            lambda: add_part(of_server, *captions, in_place=studies.is_allowed(of_server)),
        ):
            with pytest.raises((InputError, NotAllowed)):
                change()
    assert content(of_server) == before


def test_who_administers_opens_folders_and_others_are_not_asked(open_app, server, tmp_path):
    folder = write_study(tmp_path / "somewhere")
    for account, sees in ((BOB, False), (ROOT, True)):
        server.who = account
        app = open_app("pages/5_Data.py", link={"part": pages.BRING})
        assert (pages.FOLDER in {field.key for field in app.text_input}) is sees
    app.text_input(key=pages.FOLDER).set_value(str(folder))
    app.button(key="open-folder").click().run()
    assert "Opened somewhere" in plain(app)
    assert folder in on_offer(ROOT)
    assert folder not in on_offer(BOB)


def test_no_message_names_a_path_of_the_server(of_ada, tmp_path, monkeypatch):
    gone = write_study(tmp_path / "gone")
    (of_ada / "study.toml").write_text("name = \n")
    messages = []
    with acting_as(ADA):
        for act, home in (
            (lambda: remove_system(of_ada, "alpha"), ""),
            (lambda: delete_study(gone), ""),
            (lambda: open_study(tmp_path / "nowhere"), ""),
            (lambda: add_part(tmp_path / "nowhere", "captions", "c.csv", b"", in_place=True), ""),
            (lambda: resnet_vectors([], "default"), ""),
            (lambda: add_part("x", "concepts", "c.csv", b"ID,CUIs\na,C0000001\n"), "concepts.csv"),
        ):
            if home:
                monkeypatch.setenv("CUISCOPE_HOME", str(gone / home))
            with pytest.raises(InputError) as refused:
                act()
            messages.append(str(refused.value))
        messages.append(without_home(f"{gone}/concepts.csv/models/x is a pickle."))
    assert not [message for message in messages if str(tmp_path) in message]
    assert messages[-2].endswith("Ask an administrator of this server.")


def test_uploads_and_files_of_pages_are_ones_own(of_ada):
    assert of_ada in on_offer(ADA)
    assert of_ada not in on_offer(BOB) | on_offer(ROOT)
    with acting_as(ADA):
        kept_files.keep_file("satisfaction", "s.csv", b"x\n")
        uploads.add(of_ada, uploads.PEOPLE, "people.csv", b"first,second,better\nq1,q2,q1\n")
    for account, sees in ((BOB, False), (ADA, True)):
        with acting_as(account):
            assert bool(kept_files.kept_files()) is sees
            assert bool(uploads.files(of_ada, uploads.PEOPLE)) is sees


def judgment(reader, **values):
    """An answer of somebody, now."""
    return made_judgment(uuid4().hex, reader=reader, at=datetime.now(UTC), **values)


def test_judgments_are_added_and_taken_back_by_their_reader_alone(of_server):
    with acting_as(ADA):
        study = store.study_id(of_server)
        store.add(study, judgment(ADA.id))
    with acting_as(BOB):
        assert store.study_id(of_server) == study, "one study, whoever reads it"
        store.add(study, judgment(BOB.id))
        for act in (
            lambda: store.add(study, judgment(ADA.id)),
            lambda: store.add(study, judgment(BOB.id), judgment("R1")),
            lambda: store.add(study, judgment(ADA.id, status="undone", value=None)),
        ):
            with pytest.raises(NotAllowed, match="Only your own judgments"):
                act()
    with acting_as(ADA):
        assert [record.reader for record in store.judgments_of(of_server)] == [ADA.id, BOB.id]


def test_answers_of_others_are_for_administrators(of_server, open_app, server):
    with acting_as(ADA):
        pairs = [(query, image) for query, images in RUNS["alpha"].items() for image in images]
        answers = [judgment(ADA.id, task="practice", query=query, result=image) for query, image in pairs]
        store.add(store.study_id(of_server), *answers)
    for account, sees in ((ROOT, True), (BOB, False)):
        server.who = account
        app = open_app("pages/4_Readers.py", link={"study": "chest", "answers_practice": "open"})
        assert ("Close or export" in {each.label for each in app.expander}) is sees
        assert ("ada@example.org" in plain(app)) is sees


def test_what_was_drawn_before_sharing_ended_does_nothing(of_server, settings):
    with acting_as(BOB):
        (entry,) = (entry for entry in studies.entries().values() if entry.path == of_server)
        assert studies.is_open(of_server)
        assert sections._packed(entry, of_server)
    with acting_as(ADA):
        store.add(store.study_id(of_server), judgment(ADA.id))
    settings.write_text("[shared]\n")
    with acting_as(BOB):
        assert not studies.is_open(of_server)
        with pytest.raises(NotAllowed):
            sections._packed(entry, of_server)
    assert [record.reader for record in store.judgments_of(of_server)] == [ADA.id]

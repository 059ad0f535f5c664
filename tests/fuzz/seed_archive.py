# SPDX-License-Identifier: Apache-2.0
"""The seeds of all parsers, tests/fuzz/seeds.tar.xz: a file PARSER/NAME each."""
import io
import pathlib
import tarfile

ARCHIVE = pathlib.Path(__file__).resolve().parent / "seeds.tar.xz"


def unpack(folder):
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder)


def add(seeds):
    """Adds or replaces seeds, {"PARSER/NAME": bytes}. The same seeds give the same bytes."""
    with tarfile.open(ARCHIVE) as archive:
        kept = {member.name: archive.extractfile(member).read() for member in archive}
    with tarfile.open(ARCHIVE, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted({**kept, **seeds}.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))

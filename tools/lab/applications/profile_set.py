# SPDX-License-Identifier: Apache-2.0
"""A set of profiles: a folder of validation/measured/profiles, whose files are in the archive profiles.tar.xz.

Files that were measured since the archive was written lie beside it; of two with the same name they count. tools/lab/pack_profiles moves them
into the archive. What a person edits, about.json, stays outside.
"""
import fnmatch
import io
import json
import lzma
import pathlib
import tarfile

ARCHIVE, ABOUT = "profiles.tar.xz", "about.json"


class Damaged(Exception):
    """A file that is not what the tools write; the message names it."""


class Packed:
    """A file of an archive, as far as readers of a pathlib.Path need one."""

    def __init__(self, archive, name, content):
        self._archive, self.name, self._content = archive, name, content
        self.stem = pathlib.PurePath(name).stem

    def open(self, newline=None):
        return io.StringIO(self.read_text(), newline=newline)

    def read_text(self):
        return self._content.decode()

    def read_bytes(self):
        return self._content

    def exists(self):
        return True

    def __str__(self):
        return f"{self._archive}: {self.name}"


def _unpack(archive):
    try:
        whole = lzma.decompress(archive.read_bytes())    # to the end, where its checksum is
        with tarfile.open(fileobj=io.BytesIO(whole), mode="r:") as content:
            return {member.name: Packed(archive, member.name, content.extractfile(member).read()) for member in content if member.isfile()}
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise Damaged(f"{archive}: expected an archive that tools/lab/pack_profiles wrote: {error}") from None


class ProfileSet:
    """The files of a folder and of the archive in it. A folder that is not there has none."""

    def __init__(self, folder):
        self.folder, self.archive = folder, folder / ARCHIVE
        self._files = _unpack(self.archive) if self.archive.exists() else {}
        if folder.is_dir():
            self._files.update((file.name, file) for file in folder.iterdir() if file.is_file() and file.name != ARCHIVE)

    def glob(self, pattern):
        """The files whose names match, in the order of their names."""
        return [self._files[name] for name in sorted(self._files) if fnmatch.fnmatchcase(name, pattern)]

    def get(self, name):
        """The file, or None."""
        return self._files.get(name)

    def settings(self):
        """How the runs that are compared with these profiles differ from others: keys with values, written into about.json by hand."""
        about = self.get(ABOUT)
        return json.loads(about.read_text()).get("settings", []) if about else []

    def pack(self):
        """Moves all files into the archive, which has the same bytes for the same files. Returns how many it has."""
        files = [file for file in self.glob("*") if file.name != ABOUT]
        part = self.archive.with_name(ARCHIVE + ".tmp")
        with lzma.open(part, "wb", preset=9 | lzma.PRESET_EXTREME) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for file in files:
                content = file.read_bytes()
                member = tarfile.TarInfo(file.name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        part.replace(self.archive)
        for file in files:
            if isinstance(file, pathlib.Path):
                file.unlink()
        return len(files)

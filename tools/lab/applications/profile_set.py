# SPDX-License-Identifier: Apache-2.0
"""Sets of profiles: SET.tar.xz in validation/measured/profiles has the files of a set.

Files that were measured since the archive was written lie in the folder of their set; of two with the same name they count. tools/lab/pack_profiles
moves them into the archive. about.json beside the archives says of each set where it was measured, and has the settings that a person wrote.
"""
import fnmatch
import functools
import io
import json
import lzma
import pathlib
import tarfile

ABOUT = "about.json"


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


@functools.lru_cache
def _unpack(archive, _changed):
    """Name -> file."""
    try:
        whole = lzma.decompress(archive.read_bytes())    # to the end, where its checksum is
        with tarfile.open(fileobj=io.BytesIO(whole), mode="r:") as content:
            return {member.name: Packed(archive, member.name, content.extractfile(member).read()) for member in content if member.isfile()}
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise Damaged(f"{archive}: expected an archive that tools/lab/pack_profiles wrote: {error}") from None


def _about(file):
    try:
        return json.loads(file.read_text()) if file.exists() else {}
    except (OSError, ValueError) as error:
        raise Damaged(f"{file}: expected JSON: {error}") from None


class ProfileSet:
    """The files of a set, of its archive and of its folder. A set that has neither has none."""

    def __init__(self, folder):
        self.folder, self.archive = folder, folder.with_name(folder.name + ".tar.xz")
        self._files = dict(_unpack(self.archive, self.archive.stat().st_mtime_ns)) if self.archive.exists() else {}
        if folder.is_dir():
            self._files.update((file.name, file) for file in folder.iterdir() if file.is_file() and file.name != ABOUT)

    def __str__(self):
        return str(self.folder)

    def exists(self):
        return bool(self._files) or self.folder.is_dir()

    def glob(self, pattern):
        """The files whose names match, in the order of their names."""
        return [self._files[name] for name in sorted(self._files) if fnmatch.fnmatchcase(name, pattern)]

    def get(self, name):
        """The file, or None."""
        return self._files.get(name)

    def about(self):
        """What is known of the set: of its latest measurement, with the settings of an earlier one with the same state of the caches."""
        before, latest = _about(self.folder.parent / ABOUT).get(self.folder.name, {}), _about(self.folder / ABOUT)
        if latest and "settings" in before and before.get("cache_control") == latest.get("cache_control"):
            latest.setdefault("settings", before["settings"])
        return latest or before

    def settings(self):
        """How the runs that are compared with these profiles differ from others: keys with values, written into about.json by hand."""
        return self.about().get("settings", [])

    def pack(self):
        """Moves the files of the folder into the archive, which has the same bytes for the same files, and what is known of the set into the about.json
        of all sets. Returns how many files the archive has."""
        files, about = self.glob("*"), _about(self.folder.parent / ABOUT)
        part = self.archive.with_name(self.archive.name + ".tmp")
        with lzma.open(part, "wb", preset=9 | lzma.PRESET_EXTREME) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for file in files:
                content = file.read_bytes()
                member = tarfile.TarInfo(file.name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        part.replace(self.archive)
        if self.about():
            about[self.folder.name] = self.about()
            (self.folder.parent / ABOUT).write_text(json.dumps(dict(sorted(about.items())), indent=1) + "\n")
        for file in [*files, self.folder / ABOUT]:
            if isinstance(file, pathlib.Path):
                file.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()
        return len(files)

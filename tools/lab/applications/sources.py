# SPDX-License-Identifier: Apache-2.0
"""The programs of a set: files of its folder, and what its archive holds because it has been measured and must not change."""
import tarfile


def programs_of(root, folder):
    """The names of the programs of validation/programs/applications/`folder`, sorted."""
    files = root / "validation/programs/applications" / folder
    names = {file.stem for file in files.glob("*.cu")}
    archive = files.with_name(folder + ".tar.xz")
    if archive.exists():
        with tarfile.open(archive) as members:
            names |= {name.removesuffix(".cu") for name in members.getnames()}
    return sorted(names)

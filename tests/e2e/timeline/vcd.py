# SPDX-License-Identifier: Apache-2.0
"""Reads a value change dump."""


def read(path):
    """{signal's full name: [(time, value), ...]}"""
    names, changes, scope, time = {}, {}, [], 0
    with open(path, encoding="utf-8") as file:
        words = (word for line in file for word in line.split())
        for word in words:
            if word == "$scope":
                next(words)
                scope.append(next(words))
            elif word == "$upscope":
                scope.pop()
            elif word == "$var":
                next(words), next(words)
                key, name = next(words), next(words)
                names.setdefault(key, ".".join(scope + [name]))
                changes[names[key]] = []
            elif word in ("$comment", "$version", "$timescale", "$date"):
                while next(words) != "$end":
                    pass
            elif word[0] == "#":
                if int(word[1:]) < time:
                    raise ValueError(f"time goes back to {word}")
                time = int(word[1:])
            elif word[0] == "b":
                changes[names[next(words)]].append((time, int(word[1:], 2)))
            elif word[0] in "01":
                changes[names[word[1:]]].append((time, int(word[0])))
    if scope:
        raise ValueError("a scope is open at the end")
    return changes

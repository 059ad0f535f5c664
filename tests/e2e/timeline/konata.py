# SPDX-License-Identifier: Apache-2.0
"""Reads a file of the pipeline viewer Konata and refuses what is not well-formed."""


class Instruction:
    def __init__(self, thread, begin):
        self.thread, self.begin, self.end = thread, begin, None
        self.label, self.open, self.stages = "", {}, []  # stages: (name, from, until)


def read(path):
    """{id: Instruction}; raises ValueError with the line's number."""
    found, now = {}, None
    with open(path, encoding="utf-8") as file:
        if file.readline() != "Kanata\t0004\n":
            raise ValueError("1: no header")
        for number, line in enumerate(file, 2):
            command, *fields = line.rstrip("\n").split("\t")
            if command == "C=":
                now = int(fields[0])
                continue
            if now is None:
                raise ValueError(f"{number}: no cycle yet")
            if command == "C":
                if int(fields[0]) <= 0:
                    raise ValueError(f"{number}: time does not go on")
                now += int(fields[0])
                continue
            key = int(fields[0])
            if command == "I":
                if key in found:
                    raise ValueError(f"{number}: {key} begins twice")
                found[key] = Instruction(int(fields[2]), now)
                continue
            instruction = found[key]
            if instruction.end is not None:
                raise ValueError(f"{number}: {key} has retired")
            if command == "L":
                instruction.label += fields[2] if fields[1] == "0" else ""
            elif command == "S":
                if fields[2] in instruction.open:
                    raise ValueError(f"{number}: stage {fields[2]} is open")
                instruction.open[fields[2]] = now
            elif command == "E":
                instruction.stages.append((fields[2], instruction.open.pop(fields[2]), now))
            elif command == "R":
                instruction.end = now
            else:
                raise ValueError(f"{number}: {command}?")
    for key, instruction in found.items():
        if instruction.end is None or instruction.open:
            raise ValueError(f"{key} does not end")
    return found

#!/usr/bin/env python3
"""Runs every `ymir` command printed in the README and docs, page by page in a scratch folder, and fails when one of them
fails. Setups printed on any page under a file name are there already.

To be quick, runs simulate two frames without pictures, a picture of a later frame is one of the last, and grooms have
at most 500 hairs; nothing else of a command is changed.

    commands.py build/ymir [PAGE.md ...]
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?(?:build/)?ymir (.*)$")
# Where a word in capitals stands for something of the reader's, the line is a synopsis, not a command.
SYNOPSIS = re.compile(r"(^|\s)(--\w+ )?\[?[A-Z]{3,}\b")
MOST_HAIRS = 500


def setups_of(text):
    """(file name, setup) of every whole setup printed below a line that names its file."""
    for block in BLOCK.finditer(text):
        if block.group(1) == "yaml" and block.group(2).startswith("ymir: 1"):
            names = re.findall(r"`([\w/.-]+\.yaml)`", text[:block.start()])
            if names:
                yield names[-1], block.group(2)


def all_pages():
    return [os.path.join(ROOT, "README.md")] + sorted(
        os.path.join(ROOT, "docs", name) for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))


def printed_setups():
    for page in all_pages():
        with open(page, encoding="utf-8") as file:
            yield from setups_of(file.read())


def commands_of(text):
    """Commands as printed, without comments."""
    for block in BLOCK.finditer(text):
        if block.group(1) in ("", "sh", "bash"):
            lines = block.group(2).splitlines()
            for line in lines:
                if match := COMMAND.match(line):
                    command = re.sub(r"\s+#.*$", "", match.group(1)).strip()
                    if not SYNOPSIS.search(command) and "..." not in command:
                        yield command


def quick(words):
    words = list(words)
    for i, word in enumerate(words[:-1]):
        if word == "--strands" and words[i + 1].isdigit():
            words[i + 1] = str(min(int(words[i + 1]), MOST_HAIRS))
    for option in ("--frame", "--frames"):
        while option in words and words[0] != "run":
            at = words.index(option)
            del words[at:at + 2]
    if words[0] == "run":
        words += ["--no-preview"] + ([] if "--frames" in words else ["--frames", "1:2"])
    return words


class Page:
    def __init__(self, binary, path, folder):
        self.binary, self.path, self.folder = binary, path, folder
        for name in ("examples", "tests"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        for name, setup in printed_setups():
            target = os.path.join(folder, name)
            if not os.path.exists(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "w", encoding="utf-8") as file:
                    file.write(setup)

    def call(self, words):
        return subprocess.run([self.binary, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=600)

    def provide(self, words):
        """The cache of an example that a command reads."""
        for word in words:
            match = re.fullmatch(r"out/(\w+)/?", word)
            if not match or os.path.exists(os.path.join(self.folder, word)):
                continue
            setup = os.path.join("examples", match.group(1) + ".yaml")
            if os.path.exists(os.path.join(self.folder, setup)):
                self.call(quick(["run", setup, "--out", word]))

    def run(self):
        """(number of commands, problems)."""
        count, problems = 0, []
        for command in commands_of(self.text):
            count += 1
            words = quick(shlex.split(command))
            self.provide(words)
            done = self.call(words)
            mistaken = "mistaken" in command  # the setup of ten errors
            if (done.returncode != 0) != mistaken:
                problems.append(f"{os.path.relpath(self.path, ROOT)}: ymir {command}\n  (as {' '.join(words)}) ended with "
                                f"{done.returncode}: {done.stdout[-600:]}")
        return count, problems


def main():
    binary = os.path.abspath(sys.argv[1])
    pages = [os.path.abspath(page) for page in sys.argv[2:]] or all_pages()
    total, problems = 0, []
    for path in pages:
        with tempfile.TemporaryDirectory(prefix="ymir-docs-") as folder:
            count, found = Page(binary, path, folder).run()
            total += count
            problems += found
    print("\n".join(problems + [f"docs: {total} commands, {len(problems)} failed"]))
    sys.exit(1 if problems or total == 0 else 0)


if __name__ == "__main__":
    main()

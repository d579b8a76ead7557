"""What the tests of packing share: a good submission, archives written byte by byte, the command under limits."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CASES = Path(__file__).parent / "cases" / "openkws"
DATABASE = CASES / "database"
EXPID = "KWS13_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_FullLP_BaseLR_NTAR_p-word_1"
RUN = f"{EXPID}.kwslist.xml"
END = bytes(1024)  # the end mark of a tar
SECONDS = 30  # a hostile submission may not hold up the others longer
UNLIMITED, GIB = "", "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); "
# Without these two capabilities root meets file permissions as everybody else does; gone before exec, they stay away.
_NO_OVERRIDE = (
    "import ctypes, os, sys; [ctypes.CDLL(None).prctl(24, capability) for capability in (1, 2)]; "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
_MAIN = "import sys; sys.argv[0] = 'subgate'; from validator.cli import main; main()"
_LOUD = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CI", "PRE_COMMIT", "SOURCE_DATE_EPOCH", "GITHUB_ACTIONS")

Json = dict[str, Any]


def good_files() -> dict[str, bytes]:
    """Return a good submission: one run and its description."""
    folder = CASES / "good-description" / "submission"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def described_runs(*expids: str) -> dict[str, bytes]:
    """Return a good submission of several runs that share one description."""
    files = good_files()
    run, text = files[RUN], files["system.txt"]
    listed = "\n".join(expids).encode()
    return {f"{expid}.kwslist.xml": run for expid in expids} | {"system.txt": text.replace(EXPID.encode(), listed)}


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write files into a folder, which is made, and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def big_run(keywords: int, detections: int) -> bytes:
    """Return a valid KWSList with as many detections for each of as many keywords; it needs no reference data."""
    lines = ['<kwslist kwlist_filename="big.kwlist.xml" language="tagalog" system_id="big">']
    for keyword in range(keywords):
        lines.append(f'<detected_kwlist kwid="KW106-{keyword:05}" search_time="1" oov_count="0">')
        lines += [
            f'<kw file="F{rank % 97:03}" channel="1" tbeg="{rank * 1.37:.2f}" dur="0.31" '
            f'score="{(rank * 7919 + keyword * 104_729) % 99_991 / 1e5:.5f}" decision="{"YES" if rank % 2 else "NO"}"/>'
            for rank in range(detections)
        ]
        lines.append("</detected_kwlist>")
    return "\n".join([*lines, "</kwslist>", ""]).encode()


# -- the command -------------------------------------------------------------------------------------------------


def environment(**variables: str) -> dict[str, str]:
    """Return this process's variables without those that change an output, and with others."""
    plain = {name: value for name, value in os.environ.items() if name not in _LOUD}
    # One thread: on a machine with many cores the stacks of idle threads would use the address space up.
    return {**plain, "OPENBLAS_NUM_THREADS": "1", **variables}


def command(*arguments: str, before: str = UNLIMITED) -> list[str]:
    """Return the command line of subgate, with Python statements that run before it."""
    return [sys.executable, "-c", f"{before}{_MAIN}", *arguments]


def limited(
    *arguments: str, cwd: Path, variables: Mapping[str, str] | None = None, as_root: bool = True
) -> subprocess.CompletedProcess[bytes]:
    """Run subgate as a process with 1 GiB of address space; one that hangs fails the test.

    ``as_root`` False: file permissions hold, whoever runs the tests.
    """
    line = command(*arguments, before=GIB)
    return subprocess.run(
        line if as_root else [sys.executable, "-c", _NO_OVERRIDE, *line],
        cwd=cwd,
        env=environment(**(variables or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )


# Reads calls from stdin; each runs in a process of its own, with limits of its own, that needs not start from nothing.
_SERVER = """
import json, os, resource, signal, sys
import numpy, validator.engine, validator.formats.archive, validator.packing, validator.report.json
import validator.rules.kws
from validator.cli import main
for line in sys.stdin:
    call = json.loads(line)
    child = os.fork()
    if not child:
        signal.alarm(call["seconds"])
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        os.chdir(call["cwd"])
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in enumerate(call["output"], 1):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        main(call["arguments"], prog_name="subgate")
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@contextmanager
def many_limited(scratch: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[bytes]]]:
    """Give a function that does what ``limited`` does, for very many calls: the processes are forks of a warm one."""
    outputs = [scratch / "stdout", scratch / "stderr"]
    line = [sys.executable, "-c", _SERVER]
    with subprocess.Popen(
        line, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as server:
        commands, answers = server.stdin, server.stdout
        assert commands is not None
        assert answers is not None

        def call(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
            order = {"arguments": arguments, "cwd": str(cwd), "output": [str(p) for p in outputs], "seconds": SECONDS}
            commands.write(json.dumps(order) + "\n")
            code = int(answers.readline())
            return subprocess.CompletedProcess(arguments, code, outputs[0].read_bytes(), outputs[1].read_bytes())

        yield call
        commands.close()


def program(name: str) -> str:
    """Return the path of a program that the tests compare with."""
    found = shutil.which(name)
    assert found is not None
    return found


def submission(output: str | bytes) -> Json:
    """Return the one submission of a JSON report."""
    (found,) = json.loads(output)["submissions"]
    return dict(found)


def shown_rules(report: Json) -> set[str]:
    """Return the codes of the findings that are no consequence of another one."""
    return {finding["rule"] for finding in report["findings"] if finding["caused_by"] is None}


# -- archives ----------------------------------------------------------------------------------------------------


def member(name: str, content: bytes = b"", *, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """Return a tar member: header and padded content."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(content), kind, link
    return info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "surrogateescape") + padded(content)


def padded(content: bytes) -> bytes:
    """Fill a content up to whole blocks."""
    return content + bytes(-len(content) % 512)


def resealed(header: bytes, offset: int, field: bytes) -> bytes:
    """Return a tar header with another value in a field, and the checksum that fits it."""
    changed = header[:offset] + field + header[offset + len(field) :]
    blank = changed[:148] + b" " * 8 + changed[156:512]
    return changed[:148] + f"{sum(blank):06o}\0 ".encode() + changed[156:]


def pax(**records: str | bytes) -> bytes:
    """Return an extended header for the member that follows; dots of the keys are written as two underscores."""
    return member("PaxHeader", _pax_records(records), kind=tarfile.XHDTYPE)


def global_pax(**records: str | bytes) -> bytes:
    """Return an extended header for all members that follow."""
    return member("PaxHeader", _pax_records(records), kind=tarfile.XGLTYPE)


def _pax_records(records: Mapping[str, str | bytes]) -> bytes:
    return b"".join(_pax_record(key.replace("__", ".").encode(), value) for key, value in records.items())


def _pax_record(key: bytes, value: str | bytes) -> bytes:
    rest = b" " + key + b"=" + (value if isinstance(value, bytes) else value.encode()) + b"\n"
    length = len(rest) + 1
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return str(length).encode() + rest


def members(files: Mapping[str, bytes]) -> bytes:
    """Return the tar members of files, without an end mark."""
    return b"".join(member(name, content) for name, content in files.items())


def tree(folder: Path) -> dict[str, bytes]:
    """Return everything below a folder: names and contents."""
    return dict(_tree(folder))


def _tree(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        yield path.relative_to(folder).as_posix(), b"" if path.is_dir() else path.read_bytes()

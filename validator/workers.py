"""Many submissions at once, each safe from the others: a process that dies takes only its own submission along."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import TYPE_CHECKING

from validator.engine import check
from validator.model import Report

if TYPE_CHECKING:
    from validator.engine import Request


def check_in_processes(paths: list[str], request: Request, workers: int) -> list[Report]:
    """Check all paths in worker processes; those that a dying worker left behind are checked one by one."""
    reports: dict[int, Report] = {}
    with ProcessPoolExecutor(workers) as pool:
        futures = {rank: pool.submit(check, path, request) for rank, path in enumerate(paths)}
        for rank, future in futures.items():
            with suppress(BrokenProcessPool):
                reports[rank] = future.result()
    for rank, path in enumerate(paths):
        if rank not in reports:
            reports[rank] = _alone(path, request)
    return [reports[rank] for rank in range(len(paths))]


def _alone(path: str, request: Request) -> Report:
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(check, path, request).result()
        except BrokenProcessPool:
            crash = f"the process that checked {path} was killed (out of memory?)"
            return Report(path, request.evaluation, conventions=request.conventions, crash=crash)

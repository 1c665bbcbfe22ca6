"""How often callers may call."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MINUTE = 60.0
KEYS_LIMIT = 10_000


@dataclass
class _Bucket:
    calls: float
    filled_at: float


class Rates:
    """A bucket of calls for each caller: it holds a minute's worth and fills up steadily.

    The buckets that were used last are kept, up to `KEYS_LIMIT`; `seconds` is a clock that never goes back.
    """

    def __init__(self, per_minute: int, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._most = per_minute
        self._seconds = seconds
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def taken(self, caller: str) -> int:
        """Take one call out of the caller's bucket; return 0, or after how many whole seconds there is one again."""
        if not self._most:
            return 0
        now = self._seconds()
        bucket = self._buckets.setdefault(caller, _Bucket(self._most, now))
        self._buckets.move_to_end(caller)
        while len(self._buckets) > KEYS_LIMIT:
            self._buckets.popitem(last=False)
        bucket.calls = min(self._most, bucket.calls + (now - bucket.filled_at) * self._most / MINUTE)
        bucket.filled_at = now
        if bucket.calls < 1:
            return max(1, math.ceil((1 - bucket.calls) * MINUTE / self._most))
        bucket.calls -= 1
        return 0


def of_address(address: str) -> str:
    """Return the name of a client's bucket: its address, or the network that an IPv6 client has to itself."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(parsed) if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))

"""The socket that callers connect to."""

import asyncio
import socket

import pytest

from memory_bank.errors import ConfigurationError
from memory_bank.interfaces import server

PATIENCE = 30


async def test_what_is_answered_leaves_at_once_and_does_not_wait_for_more() -> None:
    without_delay: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        without_delay.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = server.bound("127.0.0.1", 0)
    host, port = listener.getsockname()
    async with asyncio.timeout(PATIENCE), await asyncio.start_server(answer, sock=listener):
        _, writer = await asyncio.open_connection(host, port)
        assert await without_delay
        writer.close()


def test_an_address_that_is_taken_is_told_with_the_settings_to_change() -> None:
    with server.bound("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(ConfigurationError, match=r"server\.port"):
            server.bound(*taken.getsockname())

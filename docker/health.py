"""Exit with 0 when the server in this container is ready, else 1: the image's health check, which has no curl."""

import http.client
import os
import sys

SECONDS = 4


def main() -> None:
    """Ask `/ready`, past any proxy that the environment names.

    Where tokens are needed, the server tells a caller without one 503 while it is not ready, else 401.
    """
    port = os.environ.get("PORT", "").strip("'\" ") or "8080"
    try:
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=SECONDS)
        connection.request("GET", "/ready")
        answer = connection.getresponse()
        sys.stdout.write(answer.read().decode(errors="replace"))
    except (OSError, ValueError, http.client.HTTPException) as error:
        sys.exit(f"not ready: {error}")
    sys.exit(0 if answer.status in (200, 401) else 1)


if __name__ == "__main__":
    main()

# Three stages: the first exports the embedding model's graph, the second collects what serving needs,
# the last holds only that: no compiler, no torch, no weights.
ARG BASE=python:3.12-slim

FROM ${BASE} AS model
# On x86 the default torch brings several GB of CUDA libraries into this stage; an index with CPU builds avoids them.
ARG PIP_EXTRA_INDEX_URL=""
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY . .
# wheels that were put beside the sources are used first
ENV PIP_FIND_LINKS=/src/wheelhouse
RUN mkdir -p wheelhouse && python -m venv /opt/model-venv \
 && /opt/model-venv/bin/pip install --quiet --constraint constraints.txt . \
 && /opt/model-venv/bin/python -m memory_bank.providers.onnx_export --model all-MiniLM-L6-v2 --output /opt/model

FROM ${BASE} AS venv
ARG PIP_EXTRA_INDEX_URL=""
# 1 keeps torch and sentence-transformers, to embed with other models
ARG WITH_TORCH=0
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY . .
ENV PIP_FIND_LINKS=/src/wheelhouse
RUN mkdir -p wheelhouse && python -m venv /opt/memory-bank \
 && /opt/memory-bank/bin/pip install --quiet --no-deps . \
 && /opt/memory-bank/bin/python docker/requirements.py --with-torch "${WITH_TORCH}" >/tmp/requirements.txt \
 && /opt/memory-bank/bin/pip install --quiet --constraint constraints.txt --requirement /tmp/requirements.txt

FROM ${BASE}
RUN useradd --uid 10001 --create-home --home-dir /home/memory-bank memory-bank \
 && mkdir -p /data /app/config && chown memory-bank:memory-bank /data
COPY --from=venv /opt/memory-bank /opt/memory-bank
COPY --from=model /opt/model /opt/model
ENV PATH=/opt/memory-bank/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8080 \
    MEMORY_BANK_DATA_DIR=/data \
    EMBEDDING_GRAPH_DIR=/opt/model
USER 10001
WORKDIR /app
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/ready', timeout=4)"]
CMD ["memory-bank", "serve"]

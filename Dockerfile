# Stages: dependencies, the embedding model's graph, the installed program, and the image itself, which takes the last
# two's results and nothing else: no compiler, no torch, no weights.
ARG BASE=python:3.12-slim

FROM ${BASE} AS dependencies
# On x86 the default torch brings several GB of CUDA libraries to the model's stage; an index of CPU builds avoids
# them, and so do wheels in the folder wheelhouse beside this file.
ARG PIP_EXTRA_INDEX_URL=""
# 1 keeps torch and sentence-transformers in the image, to embed with other models
ARG WITH_TORCH=0
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_FIND_LINKS=/install
# wheelhous[e]: the folder may be missing
COPY pyproject.toml constraints.txt docker/requirements.py wheelhous[e] /install/
RUN python -m venv /opt/memory-bank \
 && python /install/requirements.py --with-torch "${WITH_TORCH}" >/install/requirements.txt \
 && /opt/memory-bank/bin/pip install --quiet --constraint /install/constraints.txt --requirement /install/requirements.txt

FROM dependencies AS model
ARG PIP_EXTRA_INDEX_URL=""
RUN python /install/requirements.py --with-torch 1 >/install/requirements.txt \
 && /opt/memory-bank/bin/pip install --quiet --constraint /install/constraints.txt --requirement /install/requirements.txt
WORKDIR /src
COPY memory_bank memory_bank
RUN /opt/memory-bank/bin/python -m memory_bank.providers.onnx_export --model all-MiniLM-L6-v2 --output /opt/model

FROM dependencies AS program
ARG PIP_EXTRA_INDEX_URL=""
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY config config
COPY migrations migrations
COPY memory_bank memory_bank
RUN /opt/memory-bank/bin/pip install --quiet --no-deps .

FROM ${BASE}
RUN useradd --uid 10001 --create-home --home-dir /home/memory-bank memory-bank \
 && mkdir -p /data /app/config && chown memory-bank:memory-bank /data && chmod 700 /data
COPY docker/health.py /opt/health.py
COPY --from=model /opt/model /opt/model
COPY --from=program /opt/memory-bank /opt/memory-bank
# downloaded models belong to the volume; ONNX Runtime would report its use to its maker, and write to the home folder
ENV PATH=/opt/memory-bank/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8080 \
    MEMORY_BANK_DATA_DIR=/data \
    EMBEDDING_GRAPH_DIR=/opt/model \
    HF_HOME=/data/huggingface \
    ORT_DISABLE_TELEMETRY=1
USER 10001
WORKDIR /app
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# healthy means ready: without its database the service lives on, and is unhealthy until that is back
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=6 CMD ["python", "-IS", "/opt/health.py"]
CMD ["memory-bank", "serve"]

# One image for all roles: `serve` runs everything, `serve --only api|worker|compute|schedule` one of them.
FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/oraclewheel
ENV PATH=/opt/oraclewheel/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY pyproject.toml README.md LICENSE openapi.yaml ./
COPY domain ./domain
COPY service ./service
COPY workers ./workers
COPY tools ./tools
COPY docs/play ./docs/play
COPY docs/rules ./docs/rules
RUN pip install .

# The documentation site, which the API serves at /docs/.
FROM build AS docs
COPY mkdocs.yml ./
COPY docs ./docs
COPY tests/reference.py ./tests/reference.py
RUN pip install '.[docs]' && NO_MKDOCS_2_WARNING=1 mkdocs build --strict

FROM python:3.11-slim
LABEL org.opencontainers.image.title="Oracle Wheel" \
      org.opencontainers.image.description="Board games played by post: an event-sourced backend" \
      org.opencontainers.image.licenses="MIT"
RUN useradd --create-home --uid 10001 oracle && install -d -m 700 -o oracle -g oracle /data
COPY --from=build /opt/oraclewheel /opt/oraclewheel
COPY --from=docs /src/build/docs /opt/oraclewheel/share/oraclewheel/docs
ENV PATH=/opt/oraclewheel/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ORACLEWHEEL_HOST=0.0.0.0 \
    ORACLEWHEEL_PORT=8000 \
    ORACLEWHEEL_DATA=/data
USER oracle
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['ORACLEWHEEL_PORT'] + '/healthz', timeout=4)"]
ENTRYPOINT ["oraclewheel"]
CMD ["serve"]

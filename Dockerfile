# Built in one stage, run in another: what builds is not in what runs.
FROM python:3.12-slim AS build
WORKDIR /build
COPY requirements.lock ./
# Each package is the one whose digest stands in the lock, which also names what tests need ...
RUN pip download --no-cache-dir --only-binary :all: --no-deps --require-hashes --dest wheels -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY static static
COPY templates templates
COPY trustmem trustmem
# ... and of these what runs is installed, and nothing else.
RUN pip wheel --no-cache-dir --no-deps --wheel-dir wheels . \
    && python -m venv /opt/trustmem \
    && /opt/trustmem/bin/pip install --no-cache-dir --no-index --find-links wheels 'trustmem-desk[postgres]'

FROM python:3.12-slim
# Nobody but this user has to do with the folder of what people have here.
RUN useradd --system --uid 10001 --user-group --no-create-home trustmem \
    && install -d -o trustmem -g trustmem -m 0700 /data
COPY --from=build /opt/trustmem /opt/trustmem
ENV PATH=/opt/trustmem/bin:$PATH PYTHONUNBUFFERED=1 TRUSTMEM_HOME=/data
USER trustmem
WORKDIR /data
EXPOSE 8000 8001
CMD ["trustmem", "web", "--host", "0.0.0.0"]

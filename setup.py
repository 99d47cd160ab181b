"""The packaging of Questloom. Builds the one package, `questloom`. The package's folders are links
to the folders beside this file."""

from setuptools import find_packages, setup

setup(
    name="questloom",
    version="0.1.0",
    description="Questions from Wikipedia, Wikidata and Commons that need a picture and a search to answer.",
    license="Apache-2.0",
    python_requires=">=3.11",
    package_dir={
        "": "."
    },  # so that an editable install is a path, which editors and type checkers follow
    packages=find_packages(include=["questloom", "questloom.*"]),
    package_data={
        "": [
            f"**/*.{kind}"
            for kind in (
                "yaml",
                "txt",
                "json",
                "md",
                "jinja",
                "html",
                "css",
                "js",
                "safetensors",
                "gz",
                "tsv",
                "csv",
                "lua",
                "typed",
            )
        ]
    },
    install_requires=[
        "aiohttp",
        "apache-beam>=2.77",
        "datasets>=5.2",
        "datasketch>=2",
        "fsspec",
        "huggingface_hub",
        "imagehash",
        "jinja2",
        "jsonschema",
        "libzim>=3.13",
        "lxml",
        "matplotlib",
        "num2words",
        "numpy",
        "onnxruntime",
        "openai[aiohttp]>=3.52",
        "opencv-python-headless",
        "openvino>=2026.4",
        "orjson",
        "packaging",
        "pillow",
        "pyarrow>=25,<26",
        "pydantic>=2",
        "pylance>=14",
        "pyseccomp>=0.1.2",
        "pyyaml",
        "rapidocr>=3.10",
        "rich",
        "SPARQLWrapper",
        "typer",
    ],
    extras_require={
        "all": ["questloom[clip,gcs,redis,s3,train]"],
        "clip": ["open_clip_torch>=3.3", "torch>=2.15", "torchvision>=0.29"],
        "dev": [
            "questloom[all]",
            "fastapi",
            "hypothesis",
            "import-linter",
            "moto[s3,server]",
            "mwparserfromhell>=0.7.2",
            "mypy",
            "pre-commit",
            "pytest",
            "pytest-xdist",
            "ruff",
            "trl>=1.16",
            "types-PyYAML",
            "uvicorn",
        ],
        "dataflow": ["apache-beam[gcp]>=2.77", "gcsfs>=2026.9"],
        "docs": ["mkdocs-material>=9.8"],
        "gcs": ["gcsfs>=2026.9"],
        "redis": ["redis>=8"],
        "s3": ["s3fs>=2026.9"],
        "train": [
            "questloom[clip]",
            "accelerate>=1.15",
            "peft>=0.21",
            "safetensors",
            "tensorboard",
            "transformers>=5.23",
        ],
    },
    entry_points={"console_scripts": ["questloom = questloom.pipeline.cli:main"]},
)

"""Packaging. The packages install under their top-level names; `questloom doctor` names anything that shadows one."""
from setuptools import find_packages, setup

PACKAGES = ("records", "calls", "knowledge", "models", "prompts", "agent", "transforms", "train", "eval", "pipeline")

setup(
    name="questloom",
    version="0.1.0",
    description="Questions from Wikipedia, Wikidata and Commons that need a picture and a search to answer.",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(include=[p for name in PACKAGES for p in (name, f"{name}.*")]),
    package_data={"": ["*.yaml", "*.txt", "*.json", "*.md", "*.jinja", "*.html", "*.css", "*.js", "*.safetensors", "py.typed"]},
    install_requires=[
        "accelerate>=1.15",
        "apache-beam>=2.77",
        "datasets>=5.2",
        "fsspec",
        "huggingface_hub",
        "imagehash",
        "jinja2",
        "libzim>=3.13",
        "lxml",
        "mwparserfromhell>=0.7.2",
        "num2words",
        "numpy",
        "onnxruntime",
        "open_clip_torch>=3.3",
        "openai[aiohttp]>=3.52",
        "orjson",
        "pillow",
        "pyarrow>=25,<26",
        "pydantic>=2",
        "pylance>=14",
        "pyyaml",
        "rapidocr>=3.10",
        "rich",
        "SPARQLWrapper",
        "torch>=2.15",
        "torchvision>=0.29",
        "transformers>=5.23",
        "typer",
    ],
    extras_require={
        "dev": ["hypothesis", "import-linter", "mypy", "pytest", "pytest-xdist", "ruff", "types-PyYAML"],
    },
    entry_points={"console_scripts": ["questloom = pipeline.cli:main"]},
)

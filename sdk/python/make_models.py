"""Makes the typed models from the OpenAPI document: python make_models.py < openapi.json > src/agentmesh/models.py

Needs `pip install '.[generate]'`.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

HEADER = """\"\"\"Records of the API. Generated from the OpenAPI document by `npm run generate`; do not edit.\"\"\"

# SHA-256 of the document: {hash}"""
OPTIONS = [
    "--input-file-type=openapi",
    "--output-model-type=typing.TypedDict",
    "--target-python-version=3.10",
    "--use-union-operator",
    "--use-schema-description",
    "--use-field-description",
    "--use-double-quotes",
    "--disable-timestamp",
    "--formatters=builtin",
]


def models_text(document: str) -> str:
    """The text of `models.py` for an OpenAPI document."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "openapi.json"), Path(folder, "models.py")
        given.write_text(document)
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(given), "--output", str(made)]
        header = HEADER.format(hash=hashlib.sha256(document.encode()).hexdigest())
        subprocess.run([*command, *OPTIONS, f"--custom-file-header={header}"], check=True)
        return made.read_text()


if __name__ == "__main__":
    sys.stdout.write(models_text(sys.stdin.read()))

"""Writes everything in the documentation that is generated: ``python -m docs.generate``."""

from docs.generate import generated

for path, text in generated().items():
    path.write_text(text, encoding="utf-8")

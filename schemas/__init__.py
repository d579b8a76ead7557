"""Schemas and grammars of the file formats: data only, read through validator.bundled."""

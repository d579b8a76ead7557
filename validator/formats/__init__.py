"""One module per file format: bytes in, a table and its defects out."""

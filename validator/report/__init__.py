"""One module per output format: Report in, text out."""

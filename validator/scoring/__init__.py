"""One module per measure: pure functions on tables and arrays."""

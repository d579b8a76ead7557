"""Rules and profiles of the evaluations, imported as validator.rules."""

"""TOML tables that must be used up: what nobody asked for is an error."""

from __future__ import annotations

from validator.errors import ProfileError

Setting = bool | float | str | tuple[str, ...]


class Table:
    """A TOML table that must be used up: what nobody asked for is an error."""

    def __init__(self, where: str, content: dict[str, object]) -> None:
        self.where, self._content = where, dict(content)

    def take(self, key: str) -> object:
        """Take a value out; one that is not there is an error."""
        if key not in self._content:
            raise ProfileError(f"{self.where}: {key} is missing")
        return self._content.pop(key)

    def text(self, key: str, default: str | None = None) -> str:
        """Take a text; it may be left out if there is a default."""
        value = self.take(key) if default is None else self._content.pop(key, default)
        if not isinstance(value, str):
            raise ProfileError(f"{self.where}: {key} must be a text")
        return value

    def flag(self, key: str) -> bool:
        """Take true or false; false if it is left out."""
        value = self._content.pop(key, False)
        if not isinstance(value, bool):
            raise ProfileError(f"{self.where}: {key} must be true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of texts; empty if it is left out."""
        value = self._content.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ProfileError(f"{self.where}: {key} must be a list of texts")
        return tuple(value)

    def table(self, key: str) -> Table:
        """Take a table; empty if it is left out."""
        value = self._content.pop(key, {})
        if not isinstance(value, dict):
            raise ProfileError(f"{self.where}: {key} must be a table")
        return Table(f"{self.where}.{key}", value)

    def tables(self, key: str) -> list[Table]:
        """Take an array of tables."""
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise ProfileError(f"{self.where}: {key} must be an array of tables")
        return [Table(f"{self.where}.{key}", item) for item in value]

    def named(self, key: str) -> list[tuple[str, Table]]:
        """Take a table of tables."""
        inner = self.table(key)
        return [(name, inner.table(name)) for name in inner.names()]

    def names(self) -> tuple[str, ...]:
        """Return the keys that are left."""
        return tuple(self._content)

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Take all keys with their texts."""
        return tuple((key, self.text(key)) for key in self.names())

    def settings(self) -> tuple[tuple[str, Setting], ...]:
        """Take all keys with values of any simple type."""
        found: list[tuple[str, Setting]] = []
        for key in self.names():
            value = self.take(key)
            if isinstance(value, list):
                found.append((key, tuple(map(str, value))))
            elif isinstance(value, bool | float | str):
                found.append((key, value))
            else:
                raise ProfileError(f"{self.where}: {key} must be true, false, a float, a text or a list of texts")
        return tuple(found)

    def lists(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Take all keys with their lists of texts."""
        return tuple((key, self.texts(key)) for key in self.names())

    def done(self) -> None:
        """Refuse what is left."""
        if self._content:
            raise ProfileError(f"{self.where}: unknown key {', '.join(self._content)}")

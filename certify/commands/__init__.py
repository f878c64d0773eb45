"""The sub-commands of `certify`; `certify.cli` puts them together."""

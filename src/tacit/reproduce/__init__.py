"""The tables and figures of the four papers, made again, and a verdict on every claim."""

from tacit.reproduce.reproduce import experiments, reproduce

__all__ = ["experiments", "reproduce"]

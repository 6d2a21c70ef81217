"""One vector out of the vectors of all words of a text, or of all places of an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.values.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt


POOLINGS = ("cls", "last", "mean", "max", "pooler")


def rows_of(tensor: Any) -> npt.NDArray[Any]:
    """A tensor of any device and precision as rows."""
    rows: npt.NDArray[Any] = tensor.float().cpu().numpy()
    return rows


def pooled(found: Any, mask: Any, how: str) -> Any:
    """The vectors of a batch, shape (n, width).

    Parameters
    ----------
    found : what a model of transformers gives: ``last_hidden_state`` (n, tokens, width), ``pooler_output``.
    mask : 1 for words, 0 for filling, shape (n, tokens); None where nothing is filled up.
    how : "cls" the first token, "last" the last word, "mean" or "max" over the words, "pooler" what the model
        was trained to say of the whole; InputError for any other, and for "last" where nothing is filled up.
    """
    if how not in POOLINGS or (how == "last" and mask is None):
        raise InputError(f"There is no pooling called {how}. Choose one of {', '.join(POOLINGS)}.")
    hidden = found.last_hidden_state
    if how == "pooler":
        if getattr(found, "pooler_output", None) is None:
            raise InputError("This model has no pooler. Choose --pooling cls or mean.")
        return found.pooler_output
    if how == "cls":
        return hidden[:, 0]
    if mask is None:
        return hidden.mean(dim=1) if how == "mean" else hidden.amax(dim=1)
    if how == "last":
        places = mask.cumsum(dim=1).argmax(dim=1)
        return hidden[range(len(hidden)), places]
    words = mask.unsqueeze(-1).to(hidden.dtype)
    if how == "mean":
        return (hidden * words).sum(dim=1) / words.sum(dim=1).clamp(min=1e-9)
    return hidden.masked_fill(words == 0, float("-inf")).amax(dim=1)

"""The compiled loop over hashes of whole pictures and hashes of parts of pictures."""

from __future__ import annotations

import numpy as np

from evalcore.values.compiled import Array, compiled


@compiled
def nearest_windows(whole: Array, parts: Array, used: Array, near: int) -> Array:
    """Pairs of a whole picture and the part of another that is nearest to it: rows of whole, other, bits.

    whole: shape (m, 4), 256 bits as uint64. parts: shape (n, windows, 4). used: shape (n, windows), which
    parts are compared. near: bits that may differ. Counting ends where they do.
    """
    ones, twos, fours = (
        np.uint64(0x5555555555555555),
        np.uint64(0x3333333333333333),
        np.uint64(0x0F0F0F0F0F0F0F0F),
    )
    sums = np.uint64(0x0101010101010101)
    one, two, four, top = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    found = np.empty((64, 3), np.int64)
    n = 0
    for a in range(len(whole)):
        for b in range(len(parts)):
            least = np.int64(near + 1)
            for w in range(parts.shape[1]):
                if not used[b, w]:
                    continue
                bits = np.int64(0)
                for k in range(4):
                    x = whole[a, k] ^ parts[b, w, k]
                    x = x - ((x >> one) & ones)
                    x = (x & twos) + ((x >> two) & twos)
                    bits += np.int64((((x + (x >> four)) & fours) * sums) >> top)
                    if bits >= least:
                        break
                least = min(least, bits)
            if least <= near:
                if n == len(found):
                    more = np.empty((2 * n, 3), np.int64)
                    more[:n] = found
                    found = more
                found[n, 0], found[n, 1], found[n, 2] = a, b, least
                n += 1
    return found[:n]

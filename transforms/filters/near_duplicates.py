"""Texts that are nearly the same: which come together by MinHash, and which of those are truly as similar as asked.

The bands of a MinHash decide only who is compared; the Jaccard similarity of the word triples themselves decides who is alike. So a pair below the
threshold is never called alike, whatever a hash does, and one at or above it is overlooked where no band meets, at `MISSED` or less.
Jaccard and MinHash: Broder, "On the resemblance and containment of documents" (1997). Reaching similar sets by their rarest elements: Bayardo,
Ma and Srikant, "Scaling up all pairs similarity search" (2007).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count, islice

from datasketch import MinHash

from questloom.records.identity import sha256_hex

MISSED = 0.005
"""Chance, by the arithmetic of `banding`, that two texts at the very threshold share no band; no more than 1 % is asked for."""
MAX_BANDS, MAX_ROWS = 12, 10
BLOCK = 7_700
"""Texts of one group whose triples are in memory at once: 66 MB measured for questions of 28 words."""

Member = tuple[str, str, str]
"""Rank (the smaller one wins), id, words: a text as `questloom.language.names_in_text.folded` gives it."""


def triples(words: str) -> frozenset[str]:
    """All runs of three words; of a shorter text its words as one.

    >>> sorted(triples("who built the tower"))
    ['built the tower', 'who built the']
    """
    parts = words.split()
    return frozenset(" ".join(parts[i : i + 3]) for i in range(max(1, len(parts) - 2)))


def jaccard(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Shared elements ÷ all elements of two sets that are not empty, 0 to 1."""
    shared = len(mine & theirs)
    return shared / (len(mine) + len(theirs) - shared)


@lru_cache
def banding(similarity: float) -> tuple[int, int]:
    """Bands, and rows a band, that let at most `MISSED` of the pairs at this similarity slip through.

    Two sets of Jaccard similarity s agree in one row of a MinHash with chance s, in all r rows of a band with s^r, and in none of b bands with
    (1 - s^r)^b. More rows bring fewer pairs together that need not be compared, but ask for more bands, and each band carries the text once more
    through the shuffle; so the most rows that `MAX_BANDS` bands allow. At 0.85: 6 rows and 12 bands, since 0.85^6 = 0.377 and
    (1 - 0.377)^12 = 0.0034, while 7 rows would ask for 14. Of pairs at 0.73, 0.62, 0.5 and 0.3 then 86, 50, 17 and 1 % are compared, and refused.

    Args:
        similarity: 0.5 to 1, as recipes allow; towards 0 the number of bands grows without end.

    Raises:
        ValueError: a similarity that more than `MAX_BANDS` bands of one row would be needed for.
    """
    for rows in range(MAX_ROWS, 0, -1):
        bands = next(b for b in count(1) if (1 - similarity**rows) ** b <= MISSED)
        if bands <= MAX_BANDS:
            return bands, rows
    raise ValueError(f"texts of similarity {similarity} need more than {MAX_BANDS} bands")


@lru_cache
def _blank(num_hashes: int) -> MinHash:
    return MinHash(
        num_perm=num_hashes, seed=1
    )  # fixed permutations over SHA-1: the same on every worker


def band_keys(words: str, about: str, similarity: float) -> Iterator[str]:
    """Keys of a text, one a band: two texts with a key in common are to be compared.

    Args:
        words: the text, folded.
        about: what must be the same for two texts to be compared at all.
        similarity: from which two texts count as alike.
    """
    bands, rows = banding(similarity)
    signature = _blank(bands * rows).copy()
    signature.update_batch([t.encode() for t in triples(words)])
    values = signature.hashvalues.tolist()
    for band in range(bands):
        yield sha256_hex(f"{band}:{values[band * rows : (band + 1) * rows]}:{about}")[:24]


def alike(members: Iterable[Member], similarity: float) -> Iterator[tuple[Member, Member]]:
    """Each member with the first, by rank, of those that it is alike to, unless it is that itself.

    Exact, and the same in any order. Memory is that of one block (`BLOCK`): the members are gone through twice for each block.

    Args:
        members: can be gone through again and again, as what GroupByKey gives.
        similarity: smallest Jaccard similarity of two that are alike.
    """
    if next(islice(members, 1, None), None) is None:  # most bands have one text
        return
    rest = iter(members)
    while block := [(member, triples(member[2])) for member in islice(rest, BLOCK)]:
        first = [member for member, _ in block]
        by_triple = _by_rarest(block, similarity)
        for other in members:
            theirs = triples(other[2])
            for number in {n for triple in theirs for n in by_triple.get(triple, ())}:
                if other < first[number] and jaccard(theirs, block[number][1]) >= similarity:
                    first[number] = other
        yield from (
            (member, winner)
            for (member, _), winner in zip(block, first, strict=True)
            if winner != member
        )


def _by_rarest(
    block: list[tuple[Member, frozenset[str]]], similarity: float
) -> dict[str, list[int]]:
    """Numbers of the block's members by some of their triples, of which any text alike to a member has at least one.

    A text alike to a set of n has at least k = ⌈similarity × n⌉ of its triples, so of any n - k + 1 of them one. The rarest are taken, or else
    all questions of one template would be compared with each other: a group of such grows with the square of its size.
    """
    occurrences = Counter(triple for _, mine in block for triple in mine)
    numbers = defaultdict(list)
    for number, (_, mine) in enumerate(block):
        for passed, triple in enumerate(sorted(mine, key=occurrences.__getitem__)):
            if (len(mine) - passed) / len(
                mine
            ) < similarity:  # by the very division of `jaccard`, not by rounding
                break
            numbers[triple].append(number)
    return numbers

"""Finds nearly identical texts: MinHash proposes pairs, and an exact comparison confirms them.

The bands of a MinHash only decide which texts are compared. The Jaccard similarity of two texts'
word triples decides whether the texts are similar. A pair below the threshold therefore never
counts as similar. A pair at or above the threshold is missed if no band matches. The chance of
missing a similar pair is `MISSED` or less. Jaccard and MinHash: Broder, "On the resemblance and
containment of documents" (1997). Search by the rarest elements: Bayardo, Ma and Srikant, "Scaling
up all pairs similarity search" (2007).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count, islice

from datasketch import MinHash

from questloom.records.identity import sha256_hex

MISSED = 0.005
"""Maximum chance (1 %) that two texts exactly at the threshold share no band and are missed.
`banding` has the formula."""
MAX_BANDS, MAX_ROWS = 12, 10
BLOCK = 7_700
"""Number of texts of one group whose word triples are in memory at once. With questions of 28
words, these triples take 66 MB (measured)."""

Member = tuple[str, str, str]
"""The rank of a question (the smaller rank wins), its id, and its text as
`questloom.language.names_in_text.folded` returns it."""


def triples(words: str) -> frozenset[str]:
    """All runs of three words; a shorter text gives all its words as one run.

    >>> sorted(triples("who built the tower"))
    ['built the tower', 'who built the']
    """
    parts = words.split()
    return frozenset(" ".join(parts[i : i + 3]) for i in range(max(1, len(parts) - 2)))


def jaccard(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """The Jaccard similarity of two non-empty sets: shared elements ÷ all elements, 0 to 1."""
    shared = len(mine & theirs)
    return shared / (len(mine) + len(theirs) - shared)


@lru_cache
def banding(similarity: float) -> tuple[int, int]:
    """The number of bands, and of rows per band, that miss at most the share `MISSED` of the pairs
    at this similarity.

    Two sets of Jaccard similarity s agree in one row of a MinHash with chance s. The two sets agree
    in all r rows of a band with chance s^r. The two sets agree in none of b bands with chance (1 -
    s^r)^b. With more rows, fewer pairs are compared needlessly, but more bands are needed. Each
    band sends the text once more through the shuffle. `banding` therefore takes as many rows per
    band as `MAX_BANDS` bands allow. At a similarity of 0.85, `banding` gives 6 rows and 12 bands:
    0.85^6 = 0.377 and (1 - 0.377)^12 = 0.0034, while 7 rows would need 14 bands. With 6 rows and 12
    bands, some pairs are compared although they are not similar enough: 86 % of the pairs at a
    similarity of 0.73, 50 % at 0.62, 17 % at 0.5, and 1 % at 0.3.

    Args:
        similarity: the threshold, 0.5 to 1 in recipes. A threshold near 0 would need a huge number
            of bands.

    Raises:
        ValueError: the similarity would need more than `MAX_BANDS` bands of one row.
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
    """The keys of a text, one per band. Two texts with a common key must be compared.

    Args:
        words: the folded text.
        about: a string that two texts must share to be compared at all.
        similarity: minimum similarity of two texts that count as similar.
    """
    bands, rows = banding(similarity)
    signature = _blank(bands * rows).copy()
    signature.update_batch([t.encode() for t in triples(words)])
    values = signature.hashvalues.tolist()
    for band in range(bands):
        yield sha256_hex(f"{band}:{values[band * rows : (band + 1) * rows]}:{about}")[:24]


def alike(members: Iterable[Member], similarity: float) -> Iterator[tuple[Member, Member]]:
    """For each member that has a similar member of smaller rank, gives (the member, the similar
    member of smallest rank).

    The result is exact, and does not depend on the order of the members. Memory holds one block of
    `BLOCK` members at a time. All members are read once more for each block.

    Args:
        members: an iterable that can be read repeatedly, such as the groups of GroupByKey.
        similarity: minimum Jaccard similarity of two similar members.
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
    """Maps word triples to the block's members, by index. Each member is listed under some of its
    triples, such that every similar text has at least one of them.

    A text that is similar to a member with n triples has at least k = ⌈similarity × n⌉ of these
    triples. The text therefore has at least one of any n - k + 1 triples of the member. The
    function takes the rarest n - k + 1 triples. With common triples, all questions of one template
    would be compared with each other. The cost would grow with the square of their number.
    """
    occurrences = Counter(triple for _, mine in block for triple in mine)
    numbers = defaultdict(list)
    for number, (_, mine) in enumerate(block):
        for passed, triple in enumerate(sorted(mine, key=occurrences.__getitem__)):
            if (len(mine) - passed) / len(
                mine
            ) < similarity:  # by the same division as in `jaccard`, not by rounding
                break
            numbers[triple].append(number)
    return numbers

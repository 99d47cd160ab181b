"""The oracle (a scripted solver) sometimes makes detours, and varies the wording of its thoughts.
The question's id and the random seed fix all random choices, so the same question always gives the
same episode. Without a random generator, the oracle makes no detours and always uses the first
wording.
"""

import random
from dataclasses import dataclass

WRONG_TURNS = 0.35
"""Share of searches by the whole picture after which the oracle does not open the first hit first,
but a later hit of the right kind. The tool result still shows all hits in the order of the
search."""
CLOSER = 0.5
"""When the oracle has opened a wrong page, the probability that it next searches with the middle of
the picture."""
LOOKED_UP = 0.4
"""The probability that the oracle searches for a thing's name before it opens the thing's page. If
the search by the name first finds another page, the oracle searches again with more words."""
TOO_BROAD = 0.4
"""The probability that the oracle first searches for the kind of a thing alone ("bridge"), before
it adds more words."""

SAYINGS: dict[str, tuple[str, ...]] = {
    "begin": (
        "I do not know {what} by sight. I search for pages with pictures like {image}.",
        "Nothing in the question names {what}, so the picture has to. I search with {image}.",
        "First I must find out what {image} shows. A search by the picture is the quickest way to a name.",
        "Before anything else I need a name for {what}; pictures that resemble {image} may give one.",
        "There is no caption to go by. I look for pictures like {image} to learn which {kind} this is.",
        "The question turns on {what}, and only {image} tells which one is meant, so I search by it.",
        "I cannot put a name to {what}. Pictures that resemble it may lead to a name.",
    ),
    "compare": (
        "{name} may be {what}. I open its page to compare the pictures, and to read about {wanted}.",
        "{name} looks like a match, but a likeness proves little. Its page should show whether it is {what}.",
        "To be sure that this is {name}, I compare the picture with those on its page.",
        "{name} came up for this picture. I read its page: it has to show the same view before I trust it.",
        "Could it be {name}? The page has more pictures, and would say something about {wanted}.",
        "I take {name} for a possible answer to what is shown, and check that on its page.",
    ),
    "need": (
        "I need the {label} of {name}, so I open that page.",
        "Next comes the {label} of {name}, which its own page should state.",
        "That leads to {name}. What is missing now is the {label}.",
        "With {name} known, the {label} is the next thing to find; I read the page.",
        "The question goes on from {name} to the {label}, so I look there.",
        "The way leads on through {name}. The page ought to give the {label}.",
    ),
    "again": (
        "What was shown of the page says nothing about the {label}. I ask it for just that.",
        "The {label} does not stand in what I was shown. The page may say it in other words, so I ask for those.",
        "No {label} here yet; I ask the same page more pointedly.",
    ),
    "may be": (
        "{name} may be the {kind} that I look for. I check on its page {wanted}.",
        "Is {name} the {kind} that is meant? Its page should settle that by {wanted}.",
        "{name} could fit. Before I go on from there I read its page for {wanted}.",
        "One candidate is {name}; {wanted} will tell.",
        "I try {name} next, since it came up for the {kind}.",
    ),
    "names it": (
        "I look for {a_kind} and know {name}. Its page may name it.",
        "The {kind} has to do with {name}, so the page of {name} is the place to start.",
        "Since {name} is known, its page may mention the {kind}.",
    ),
    "tell apart": (
        "I look for {a_kind} that {said}. I search for the words that tell it apart.",
        "Which {kind} {said}? I put what I know of it into a query.",
        "The {kind} is known to me only by what is said of it: that it {said}. I search for that.",
        "I do not have the name of the {kind}, only that it {said}; a search may bring it.",
    ),
    "broad": (
        "I look for {a_kind}; perhaps there are few, so I search for the kind alone.",
        "A short query first: if pages on any {kind} are few, I can go through them.",
    ),
    "too broad": (
        "That was too broad, it brought {hit} first. I add what else is known.",
        "{hit} and others came up, which is not narrow enough. I say more in the query.",
    ),
    "look up": (
        "I look {name} up by name, in case others are called the same.",
        "Before I open a page I check which pages there are on {name}.",
        "A search for {name} will show whether the name is taken more than once.",
    ),
    "narrow": (
        "The first hit is {hit}, not {name} itself. I add the {label} to the query.",
        "{hit} comes before {name} there; with the {label} the search should be closer.",
    ),
    "other pictures": (
        "{name} is not the one: its page says {quote}, and shows other pictures than mine.",
        "I go back: none of the pictures of {name} is mine. Its page says {quote}.",
        "No, {name} is not the one, its pictures show something else ({quote}).",
        "{name} cannot be the one. I read {quote}, but the picture that I have is not among those of its page.",
    ),
    "says otherwise": (
        "{name} is not the one: on its page stands {quote}, while the question wants {expected}.",
        "I go back. For {name} the page gives {quote}, which does not go with {expected}.",
        "{name} cannot be the one, since {quote} speaks against {expected}.",
    ),
    "other kind": (
        "{name} is not the one: its page says {quote}, so it is no {kind}.",
        "I go back, since {name} is no {kind}: {quote}.",
        "{name} cannot be the one. I look for {a_kind}, and its page says {quote}.",
    ),
    "middle": (
        "I cut out the middle, so that the surroundings count less in the next search.",
        "The edges of the picture may have misled the search; I keep the middle only.",
        "I take a closer view of what stands in the middle and search with that.",
    ),
    "new one": (
        "I search for pages with pictures like the new one.",
        "Now the same search with {image}.",
        "With {image} the search has less to be misled by.",
    ),
    "read": (
        "The question needs what can be read on the {what} in {image}. I read the text in the picture.",
        "Something is written on the {what}, and the question depends on it; I read {image} first.",
        "What stands on the {what}? The picture itself, {image}, has to tell.",
    ),
    "picture": (
        "The {what} has to be seen on a picture of {name}. I open its page, which should show one.",
        "No text will say what stands on the {what}. The page of {name} may show a picture of it.",
        "Now I need to see {name}: the question goes on from the {what}, so I look for a picture on its page.",
    ),
    "closer": (
        "It seems to say {text}. The writing is small, so I look closer before I rely on it.",
        "I make out {text}, but at this size a digit or a letter is easily mistaken. I enlarge that part.",
        "{text}, as far as I can see. All the rest hangs on it, so I cut it out and read it again.",
    ),
    "compute": (
        "I have both parts: {left} and {right}. I compute the {what}.",
        "With {left} and {right} only the {what} is missing, and I would rather compute it than guess.",
        "Now that {left} and {right} are known, the {what} can be worked out.",
    ),
    "found": (
        "{source} {quote}, as turn {turn} showed. So the answer is {text}.",
        "Turn {turn} gave what was missing: {source} {quote}. That makes {text} the answer.",
        "The chain is closed: {source} {quote} (turn {turn}). The answer is {text}.",
        "{source} {quote}. I read that in turn {turn}, and it answers the question: {text}.",
    ),
}
"""Several wordings of the oracle's thought for each occasion; the first wording is the plainest."""


@dataclass
class Manner:
    """Chooses the detours and the wordings at random.

    Args:
        draw: random generator of the episode; with None, there are no detours and only first
            wordings.
    """

    draw: random.Random | None = None

    def strays(self, share: float) -> bool:
        """Decides at random whether to make a detour; `share` is the probability."""
        return self.draw is not None and self.draw.random() < share

    def say(self, occasion: str, **parts: object) -> str:
        """Puts a thought of the oracle into words for a given occasion.

        Raises: KeyError: the occasion is unknown, or a part of the wording is missing.
        """
        ways = SAYINGS[occasion]
        said = (self.draw.choice(ways) if self.draw else ways[0]).format(**parts)
        return said[:1].upper() + said[1:]

"""A reward function that needs no package. The function says whether the answer in a reply is
right. The export writes a copy of this file beside the rows whose replies it scores.

```
verl        custom_reward_function.path=formats/reward.py custom_reward_function.name=compute_score
TRL         GRPOTrainer(..., reward_funcs=answer_reward)
ms-swift    swift rlhf --external_plugins formats/reward.py --reward_funcs questloom_answer
```

The reward is 1.0 if the reply's last <answer> holds one of the row's answers. Case, accents,
articles and punctuation do not count. A quantity is right if its number is the same, and if it has
no words besides those of the right answer. For any other answer the reward is 0.0. The function is
stricter than Questloom's judge, which also knows units and several ways to write a date. A right
answer in other words counts as wrong.
"""

import re
import unicodedata

_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_ARTICLE = re.compile(r"^(the|an?) ")
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


def final_answer(reply):
    """The text of the last <answer> in a reply. The result is "" if the reply has no <answer>, or
    if more text follows after it."""
    found = list(_ANSWER.finditer(reply))
    return (
        found[-1][1].strip()
        if found and not reply[found[-1].end() :].replace("<|im_end|>", "").strip()
        else ""
    )


def plain(text):
    """The text without case, accents, punctuation and a leading article."""
    letters = "".join(
        c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c)
    )
    return _ARTICLE.sub("", " ".join(re.findall(r"\w+", letters)))


def same_quantity(said, right, unit):
    """Whether both texts contain exactly one number, and the same one. In addition, `said` must
    have no words except those of `right` and the unit."""
    numbers, expected = _NUMBER.findall(said), _NUMBER.findall(right)
    if (
        len(numbers) != 1
        or len(expected) != 1
        or float(numbers[0].replace(",", "")) != float(expected[0].replace(",", ""))
    ):
        return False
    own = set(plain(f"{right} {unit} {unit}s").split())
    return set(plain(_NUMBER.sub(" ", said)).split()) <= own


def score(reply, answers, answer_type="", unit=""):
    """The reward of a reply: 1.0 or 0.0.

    Args:
        reply: the policy's text, which is a whole episode or its last turn.
        answers: all right wordings of the answer.
        answer_type: "entity", "date", "quantity", ….
        unit: the unit of a quantity, as the question asks for it.
    """
    said = final_answer(reply if isinstance(reply, str) else "")
    if not plain(said):
        return 0.0
    if any(plain(said) == plain(right) and _signs(said) == _signs(right) for right in answers):
        return 1.0
    return float(
        answer_type == "quantity" and any(same_quantity(said, right, unit) for right in answers)
    )


def _signs(text):
    """The numbers of a text, with their signs and decimal points. The function `plain` drops signs
    and decimal points."""
    return [n.replace(",", "") for n in _NUMBER.findall(text)]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    """The reward function in verl's form."""
    more = extra_info or {}
    return score(
        solution_str,
        list(more.get("answers") or [ground_truth]),
        more.get("answer_type", ""),
        more.get("answer_unit", ""),
    )


def answer_reward(completions, answers, answer_type=None, answer_unit=None, **_):
    """The reward function in TRL's form. TRL passes the completions as texts or as messages, and
    the rows' columns by name."""
    replies = [
        c if isinstance(c, str) else _text(c[-1]["content"] if c else "") for c in completions
    ]
    kinds, units = answer_type or [""] * len(replies), answer_unit or [""] * len(replies)
    return [score(*row) for row in zip(replies, answers, kinds, units, strict=True)]


def _text(content):
    return (
        content
        if isinstance(content, str)
        else "".join(part.get("text") or "" for part in content or ())
    )


try:
    from swift.rewards import ORM, orms
except ImportError:  # not ms-swift's process
    pass
else:

    class QuestloomAnswer(ORM):
        """The reward function in ms-swift's form."""

        def __call__(self, completions, answers, answer_type=None, answer_unit=None, **_):
            """The reward of each completion."""
            return answer_reward(completions, answers, answer_type, answer_unit)

    orms["questloom_answer"] = QuestloomAnswer

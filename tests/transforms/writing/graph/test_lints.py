"""What no question may have: each lint on the shortest text that breaks it, and on texts that only look like it."""

import pytest

from questloom.transforms.writing.graph.lints import (
    ends_in_short_clause,
    find_hidden_words,
    is_heavy,
    problems,
    repeated,
    unclear_references,
    weigh,
    weigh_sentence,
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Who built the the bridge?", "doubled word: the the"),
        ("Which church is in the style of Plain Style?", "doubled word: style of Plain Style"),
        ("Who built a arch?", "article: a arch"),
        ("Which works worked?", "doubled word: works worked"),
        ("Who worked works?", "doubled word: worked works"),
        ("Who built the bridge", "no question mark at the end"),
        ("who built the bridge?", "no capital letter"),
        ("Who built the bridge , then?", "punctuation"),
        ("What is this ship's home port's height?", "possessive"),
        ("Who painted the glass's frame?", "possessive"),
        ("Who is the son of the friend of the aunt of the uncle of the king?", "too many of"),
        (" ".join(f"W{i}" for i in range(141)) + "?", "too many words"),
        (f"Who saw {' '.join(f'N{i}' for i in range(20))}?", "sentence too long"),
        (
            "Which town was home to a man who met a woman who wrote a play that was staged in Velm?",
            "nested clauses",
        ),
        # repeated content words, in any form of the word
        ("The man in the picture painted a painting. Where does it hang?", "repeated word: paint"),
        ("Which church in Velm is older than the church in the picture?", "repeated word: church"),
        ("Who designed the bridge by the designer of this tower?", "repeated word: design"),
        ("Which building was built by this man?", "repeated word: build"),
        (
            "The river here rises on a mountain. On which mountain does the mountain stand?",
            "repeated word: mountain",
        ),
        # verbs and prepositions stranded at the end
        ("Which town was the man in the picture born in?", "stranded"),
        ("What year was the town where the woman in the picture died founded?", "stranded"),
        ("In which year was the town where this ship's designer passed away founded?", "stranded"),
        (
            "What is the name of the sea into which the river that flows through Karsk and rises on this mountain empties?",
            "stranded",
        ),
        (
            "In which year was the pupil of the teacher of the sculptor of this very old statue born?",
            "stranded",
        ),
        (
            "In which town did the pupil of the founder of the shipyard that built this ship die?",
            "stranded",
        ),
        (
            "In which town did the founder of the old yard that built that old ship there die?",
            "stranded",
        ),
        ("In which town did the mother of the architect of this lighthouse die?", "stranded"),
        ("In which year was the birthplace of the discoverer of this species founded?", "stranded"),
        ("To whom is the novel set in the town seen from this tower dedicated?", "stranded"),
        ("On which mountain does the river this dam holds back rise?", "stranded"),
        ("In which town is the novel by this woman set?", "stranded"),
        ("In which village is the play by this man set?", "stranded"),
        ("At which bridge was the film set in this town shot?", "stranded"),
        ("How many years after its architect was born was it put up?", "stranded"),
        # clauses within clauses
        (
            "The shipyard that built the schooner that sails from this town is in a district. Which?",
            "nested clauses",
        ),
        (
            "Who founded the company based in the town where the man who designed the church on this hill lies?",
            "nested clauses",
        ),
        # what refers back to nothing, or to one of two
        (
            "This bridge crosses a river. Into which lake does that stream flow?",
            "nothing before: that stream",
        ),
        (
            "A river empties into another river. Where does that river rise?",
            "unclear: that river",
        ),
        (
            "Who designed this bridge? It crosses a river. Which lake does it reach?",
            "two questions",
        ),
        ("Who designed this bridge? Who built it?", "two questions"),
        ("Which other chapel is dedicated to the other woman?", "two others"),
        ("In which year was the town she founded built?", "stranded"),
        ("This bridge crosses an river. Which lake does it reach?", "article: an river"),
        ("this bridge crosses a river. Which lake does it reach?", "no capital letter"),
        (
            "Who founded the company that built the engine of this company?",
            "repeated word: company",
        ),
        # one relation in two words, or in a word that means another one
        ("Who found the mineral discovered on this mountain?", "repeated word: discover"),
        (
            "Who described the yellow species found in the lake shown here?",
            "nobody says: species found in",
        ),
        ("Which bridge is by the architect of the one in the picture?", "nobody says: the one in"),
        (
            "Which other painting painted in this town hangs there?",
            "doubled word: painting painted",
        ),
        # openers of exam papers
        *(
            (f"{opener} the town in the picture. When was it founded?", "opener of an exam paper")
            for opener in ("Take", "Consider", "Think of", "Imagine")
        ),
        ("Name the architect of this bridge?", "opener of an exam paper"),
        # what nobody says
        (
            "Ivo Mersk was the father of this man. In which town did that father die?",
            "nobody says: that father",
        ),
        ("This town saw the death of a poet. Who was it?", "nobody says: saw the death"),
        ("This man taught one other person. Who was it?", "nobody says: one other"),
    ],
)
def test_a_lint_finds_the_shortest_text_that_breaks_it(text, problem):
    assert problem in problems(text)


@pytest.mark.parametrize(
    "text",
    [
        "On what date did the founder of the shipyard that built this schooner die?",
        "In what year was the museum that houses this painting founded?",
    ],
)
def test_a_verb_may_follow_a_short_clause_about_the_picture(text):
    assert not problems(text)


@pytest.mark.parametrize(
    "text",
    [
        "In which district is the village where this mineral was found?",
        "Which bridge in Karsk was designed by the architect of this one?",
        "What year was the birthplace of this bridge's architect founded?",
        "Who painted “The The of a apple”?",
        "“Fog” hangs in a museum. Who founded that museum?",
        "Who had had the bridge?",
        "Who founded Pago Pago?",
        "Who painted the other painting?",
        "Who is the man who was painted?",
        "Who founded the yard that built the ship that crossed its lake?",
        "Which 1871 novel is by the namesake of Taker Street?",
        "Who killed the man this species is named after?",
        "Who discovered Pifeins's warbler?",
        "A museum that also keeps this painting stands here. When was it built?",
        "The museum that owns this painting was founded by a woman. In which church is she buried?",
        "The architect of this bridge died in a town. In which year was that town founded?",
        "Another painting hangs in the museum that holds the first one. How high is it?",
        "A man came from the family that donated this painting. Where was he born?",
        "Who founded the shipyard that built the schooner that sails from this town?",
        "Which treaty was signed in the town where the woman who commissioned this bridge died?",
        "On what date did the man die who had this railway station built?",
        "Which dam stands on the river that flows into the lake where this insect was seen?",
    ],
)
def test_what_a_person_would_write_has_no_problem(text):
    assert problems(text) == ()


def test_names_may_recur():
    assert repeated("Which church in Velm did the founder of Velm College order?") == []


def test_a_short_plain_question_weighs_less():
    plain = "Who designed this bridge?"
    assert weigh(plain) < weigh(
        "Who designed the bridge that crosses the river of the district of the town in the picture?"
    )
    assert weigh(plain) < weigh("Who was the teacher of her?")


def test_after_also_the_same_words_may_come_again():
    assert repeated("The artist of this painting also painted another bridge.") == []
    assert repeated("The artist of this painting painted another bridge.") == ["paint"]


def test_which_river_may_stand_before_that_river():
    assert repeated("Into which river does that river flow?") == []
    assert repeated("Into which river does the river flow?") == ["river"]


def test_this_man_and_the_same_as_this_church_may_repeat_a_noun():
    assert repeated("A man from the family of this man's father wrote it.") == []
    assert repeated("A church in Velm has the same saint as this church.") == []
    assert repeated("The man from the family of the father of the man here.") == ["man"]
    assert repeated("Who painted this painting?") == ["paint"]


def test_her_portrait_is_no_stressed_pronoun():
    light = weigh_sentence("Which year is written on her portrait?")
    assert light == weigh_sentence("Which year is written on that portrait?")
    assert weigh_sentence("Which film by her was made here?") == light + 4.0
    assert weigh_sentence("Which tower by her stands right here?") == light + 4.0
    assert weigh_sentence("Which film was made in Velm by her?") == light + 4.0 + 0.18


def test_the_second_of_two_is_not_said_where_this_one_was_named_second():
    start = "A bridge commissioned by the same woman as this bridge spans a river."
    assert "unclear: the second bridge" in problems(f"{start} Who engineered the second bridge?")
    other = "This bridge spans a river. Another bridge spans that river."
    assert unclear_references(f"{other} Who engineered the second bridge?") == []


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("Who saw the son of the king?", 0.0),
        ("Who saw the son of the aunt of the king?", 2.5),
        ("Who saw the son of the aunt of the friend of the king?", 20.0),
        ("Who saw the king who ate?", 0.0),
        ("Who saw the king who ate bread that rose?", 1.5),
        ("Who saw that king?", 0.0),
        ("Who saw that king and that cat?", 1.2),
        ("Who saw the stadium in the town in this picture?", 2.5),
        ("Who saw the stadium near the town in this picture?", 0.0),
        ("Who saw the king ?", 15.0),
        (f"Who saw {' '.join(f'N{i}' for i in range(15))}?", 0.0),
        (f"Who saw {' '.join(f'N{i}' for i in range(16))}?", 1.0),
        (f"Who saw {' '.join(f'N{i}' for i in range(18))}?", 3.0),
        (f"Who saw {' '.join(f'N{i}' for i in range(19))}?", 19.0),
    ],
)
def test_a_sentence_weighs_its_words_clauses_chains_and_faults(text, cost):
    assert weigh_sentence(text) == pytest.approx(cost + 0.18 * len(text.split()))


def test_a_text_weighs_its_sentences_and_all_its_faults():
    text = "This is a king. Who saw that cat?"
    assert weigh(text) == pytest.approx(15.0 + 0.18 * len(text.split()))


def test_a_question_has_140_words_at_most():
    words = [f"W{i}." for i in range(139)]
    assert "too many words" not in problems(f"{' '.join(words)} Who?")
    assert "too many words" in problems(f"W. {' '.join(words)} Who?")


def test_no_verb_follows_more_than_seven_words_a_clause_or_a_chain():
    for subject, heavy in (
        ("the very old red brick church tower", False),
        ("the very old and red brick church tower", True),
        ("the son of the king", False),
        ("the son of the aunt of the king", True),
        ("the cat of Orm of Tolm", True),
        ("the king who ate", True),
        ("the town here", False),
        ("the man by the river", True),
        ("the tower designed by him", False),
        ("the river this dam holds", True),
        ("the tower in this town", False),
    ):
        assert is_heavy(subject.split()) is heavy, subject


def test_a_verb_may_follow_nine_words_that_end_in_a_short_clause():
    for subject, short in (
        ("the yard that built this schooner", True),
        ("the old red ship yard that built this schooner", True),
        ("the very old red ship yard that built this schooner", False),
        ("the son of the yard of the town that built this", False),
        ("the yard in this town", False),
    ):
        assert ends_in_short_clause(subject.split()) is short, subject


def test_short_words_of_one_stem_may_stand_side_by_side():
    for text in ("Who can work worked stone?", "Who worked work here?"):
        assert not any(p.startswith("doubled") for p in problems(text)), text


def test_another_stone_bridge_may_stand_beside_that_bridge_and_no_participle_may():
    assert repeated("Another stone bridge stands beside that bridge.") == []
    assert repeated("Another artist painted this painting.") == ["paint"]
    assert repeated("That river joins that river.") == ["river"]


def test_hidden_words_are_found_as_whole_words_in_any_case():
    assert find_hidden_words("Who built ORM Light?", ["Orm", "light", "Or", ""]) == ["Orm", "light"]


def test_his_wife_behind_what_a_man_did_may_seem_to_be_a_second_object():
    between = "How many years passed between the births of"
    unclear = weigh(f"{between} the man who designed this tower and his wife?")
    assert unclear > weigh(f"{between} his wife and the man who designed this tower?") + 2


def test_its_of_two_things_costs_more_than_one():
    two = weigh("Which district has its home town as its capital?")
    assert two > weigh("Which district has its home town as the capital?") + 1.5

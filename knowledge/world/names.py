"""Makes names from syllables in four invented languages. Names in different parts of the world
never share a stem.

A stem is onset + vowel + middle + vowel + ending. The index of a stem is a number in mixed radix, so distinct indices
give distinct stems. The languages have different endings, so stems of two languages also differ. Each part of the world
has its own range of indices, so that parts can be made independently.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Grammar:
    """The syllables and given names of one invented language."""

    onsets: tuple[str, ...]
    vowels: tuple[str, ...]
    middles: tuple[str, ...]
    inner: tuple[str, ...]
    endings: tuple[str, ...]
    men: tuple[str, ...]
    women: tuple[str, ...]

    @property
    def num_stems(self) -> int:
        return (
            len(self.onsets)
            * len(self.vowels)
            * len(self.middles)
            * len(self.inner)
            * len(self.endings)
        )

    def stem(self, index: int) -> str:
        """Returns the stem with a given index, which must be below `num_stems`. Neighbouring
        indices give dissimilar stems."""
        assert 0 <= index < self.num_stems, index
        number = index * STRIDE % self.num_stems
        parts = []
        for choices in (self.onsets, self.vowels, self.middles, self.inner, self.endings):
            number, place = divmod(number, len(choices))
            parts.append(choices[place])
        return "".join(parts).capitalize()


STRIDE = 1_000_003
"""Multiplication by this prime permutes the indices of stems, because no language has a number of
stems that the prime divides."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GRAMMARS = (
    Grammar(
        _words("b br d dr f fl g gr h hj j k kr l m n r s sk sn st t th tr v"),
        _words("a e i o u å ø"),
        _words("ld ll nd rd rst rn sk ss st lm nn gg rg lv ndr v dd ft lt mb rv tt"),
        _words("a e i o u"),
        _words("rk ck nd rg lm rr kt st rsund lby nhavn mvik"),
        _words(
            "Anders Bodil Corvin Einar Falk Gustaf Halvard Ivar Joren Kasper Leif Magnus Nils Oskar Peder Ragnar Sten "
            "Torvald Ulrik Viggo Anselm Birk Dag Emrik Frode Gorm Henning Jarl Klaus Ludvig"
        ),
        _words(
            "Astrid Berit Camilla Dagny Edda Freja Gudrun Hedvig Inga Johanne Karin Liv Maren Nora Oda Petra Ragna "
            "Sigrid Thea Ulla Vilma Alva Birgit Elin Fride Hilda Jytte Kirsten Lone Møyfrid"
        ),
    ),
    Grammar(
        _words("b c d f g gl l m n p pr r s t tr v qu br cr fl gr pl z"),
        _words("a e i o u é ia"),
        _words("l ll m nt nc r rr rc s ss t v nd gn lv mbr st rm sc lt nz rg"),
        _words("a e i o u"),
        _words("ro la nte vi co zza no ri scara mpeli lduno rvenza"),
        _words(
            "Adriano Baltasar Césaire Dario Emilio Fabrice Gaspar Horacio Ignace Julien Lorenzo Marcel Nestor Octave "
            "Placido Quentin Renaldo Silvain Tibor Ugo Valentin Aurelio Bastien Corrado Desmond Eusebio Florent Guido"
        ),
        _words(
            "Amélie Beatrice Clémence Delfina Elvira Fiora Giselle Honora Isabeau Josette Lavinia Mireille Noémie Ottavia "
            "Perla Rosalba Séverine Tosca Ursina Violette Aurora Bianca Coralie Domenica Estelle Flavia Graziella"
        ),
    ),
    Grammar(
        _words("b bl d dv g h hr k kl m ml n p pl r s sl st t v z zl č š j dr"),
        _words("a e i o u á"),
        _words("b br d dl g k l ln m n nk r rv s sn t v z zd ch st rn"),
        _words("a e i o u y"),
        _words("v sk t ř c vec nk slav tice vno jov kov"),
        _words(
            "Aleksy Bohdan Ctibor Dalimil Emil Florian Hynek Igor Jaromir Kazimir Lubor Miroslav Oldřich Pavel Radovan Stanislav "
            "Tadeas Vaclav Zdenek Borys Damian Evzen Gavril Jonas Kryštof Lech Matej Ondrej"
        ),
        _words(
            "Alena Bozena Daria Eliška Hana Irena Jolana Katarina Ludmila Milena Nadezda Olga Pavla Radka Svetla Tamara "
            "Vera Zuzana Bronislava Danica Emilie Florentina Jitka Kveta Libuse Marketa Renata Šárka"
        ),
    ),
    Grammar(
        _words("b br c cr d dr f g gl gw h ll m n p pr r rh t tr w j s st"),
        _words("a e i o u ei ae"),
        _words("b br d dr f g ld ll n nn nw r rf rth s st l lw dw mp rl"),
        _words("a e i o u ei"),
        _words("th dd wyn ch ss ns rn nneth gwen ddan rthel mor"),
        _words(
            "Aled Brychan Cadoc Dafydd Emrys Ffion Gareth Hywel Idris Jestyn Kendrick Llew Madoc Nevin Osian Padrig Rhodri "
            "Steffan Taran Urien Wynford Alun Bevan Cormac Deiniol Elwyn Fergus Gethin"
        ),
        _words(
            "Angharad Branwen Carys Delyth Enid Gwenllian Heulwen Iona Jocasta Keira Lowri Mairwen Nesta Olwen Rhian Sioned "
            "Tegan Una Winifred Aeron Bethan Ceridwen Dilys Eirlys Fionnuala Glenys"
        ),
    ),
)


class NameSource:
    """The names that are reserved for one part of the world.

    Args:
        slot: number of the part: 0 for the nation, 1… for the regions.
        num_slots: total number of parts.
    """

    def __init__(self, slot: int, num_slots: int) -> None:
        self.grammar = GRAMMARS[slot % len(GRAMMARS)]
        self.step = -(-num_slots // len(GRAMMARS))
        self.next_index = slot // len(GRAMMARS)

    def stem(self) -> str:
        """A new stem, which no other thing in the world has."""
        stem = self.grammar.stem(self.next_index)
        self.next_index += self.step
        return stem

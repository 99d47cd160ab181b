"""What each shape grows on the coast, against what the coast's own numbering says there is."""

from random import Random

import pytest

from questloom.records.form import ClaimClause, ClassClause, Compute, Image, Reads
from questloom.records.knowledge import entity_value, year_value
from questloom.records.outcomes import Reason
from questloom.transforms.planning.ground import Refusals
from questloom.transforms.planning.shapes.chain import Way, extend, grow_chains
from questloom.transforms.planning.shapes.meet import grow_meets
from questloom.transforms.planning.shapes.tree import describe_thing, grow_trees, steps_to
from questloom.transforms.planning.steps import steps_from
from tests.transforms.planning.coast import (
    HUMAN,
    NOVEL,
    NUM,
    architect,
    coast,
    ground,
    lighthouse,
    novel,
    town,
)

AT = ground()

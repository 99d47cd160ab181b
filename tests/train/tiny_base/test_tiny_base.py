"""The shipped base: it loads as any model does, sees what is on a picture that it was not trained on, copies, and knows no turn protocol."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForImageTextToText, AutoProcessor

from questloom import models
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.agent.turns.turn_protocol import TurnProtocol
from questloom.train.tiny_base import drills as made
from questloom.train.tiny_base.fit import Encoder, album, batches, positions_of, right
from questloom.train.tiny_base.tokens import check_names, new_tokenizer

BASE = Path(models.__path__[0]) / "tiny_base"


@pytest.fixture(scope="module")
def base():
    processor = AutoProcessor.from_pretrained(BASE)
    return AutoModelForImageTextToText.from_pretrained(BASE).eval(), processor


def measured(base, make, count=4):
    """Share of drills of one kind, from a world that was not trained on, that the base gets right as a whole."""
    model, processor = base
    pictures = album([7], 480, processor)
    rng = random.Random(3)
    found = batches(
        (Encoder(processor)(make(pictures.worlds[0], rng)) for _ in iter(int, 1)),
        pictures.patches,
        model.config.image_token_id,
        processor.tokenizer.pad_token_id,
    )
    return next(iter(right(model, [next(found) for _ in range(count)]).values()))


def test_it_tells_colour_kind_and_number_of_pictures_it_never_saw(base):
    assert measured(base, made.caption) > 0.9  # chance: 1 of 384


def test_it_reads_pages_it_never_saw(base):
    assert measured(base, made.page_questions) > 0.7  # chance: 1 of 3 names twice


def test_marks_and_names_are_tokens_as_the_tokenizer_made_anew_has_them(base):
    check_names(base[1].tokenizer)
    assert base[1].tokenizer.get_vocab() == new_tokenizer().get_vocab()


def test_its_template_renders_a_conversation_as_the_beginning_of_its_continuation(base):
    assert TokenRenderer(base[1]).opened == ""


def test_no_drill_holds_a_turn_that_the_protocol_takes():
    protocol = TurnProtocol([])
    world, rng = made.new_world(made.FIRST_SEED, 120, 0), random.Random(0)
    source = made.drills([world], rng)
    for drill in (next(source) for _ in range(400)):
        for _, said in drill.turns:
            assert not protocol.check(said).thought and not protocol.check(said).ok


def test_places_of_pictures_are_those_that_the_model_counts(base):
    model, _ = base
    ids = np.array(
        [
            [
                300,
                model.config.image_token_id,
                model.config.image_token_id,
                model.config.image_token_id,
                model.config.image_token_id,
                301,
                302,
            ]
        ]
    )
    told, _ = model.model.get_rope_index(
        torch.from_numpy(ids),
        torch.from_numpy((ids == model.config.image_token_id).astype(int)),
        image_grid_thw=torch.tensor([[1, 4, 4]]),
    )
    assert (told.numpy() == positions_of(ids == model.config.image_token_id)).all()


def test_marks_around_answers_are_never_a_thoughts():
    drill = made.Drill("page", ((["q"], "Nabi"),))
    assert not any(
        "<think>Nabi</think>" in said
        for n in range(300)
        for _, said in made.mark_lines(replace(drill), random.Random(n)).turns
    )

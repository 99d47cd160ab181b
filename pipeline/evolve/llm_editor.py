"""The model-based editor: one model proposes edits and another model reviews them. Edits from a
model must obey the same rules as all other edits."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.pipeline.evolve.edits import Edit
from questloom.pipeline.evolve.evolvable import Field, fields_of
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.task_row import TaskRow
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.job import Job
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import Fenced, fenced
from questloom.prompts.render import render
from questloom.prompts.replies import EditReviewed, EditsProposed, EditsReviewed, ProposedEdit
from questloom.prompts.roles import ROLES

PROPOSE, REVIEW = "propose_edits", "review_edits"
MAX_TASKS_SHOWN = 6


@dataclass(frozen=True)
class Editor:
    """Proposes and reviews edits.

    Args:
        client: a model client with the roles `propose_edits` and `review_edits`.
        least: the number of tasks that an edit must cite.
        item_id: the id under which the ledger counts the costs of the calls.
    """

    client: Client
    least: int
    item_id: str

    def proposed(
        self,
        recipe: Recipe,
        groups: Sequence[Mapping[str, Any]],
        rows: Sequence[TaskRow],
        dead_ends: Collection[str],
        most: int,
    ) -> list[Edit]:
        """Asks the model for edits. The edits have not been checked by the rules yet."""
        fields = fields_of(recipe)
        prompt = render(
            ROLES[PROPOSE],
            faults=_faults(groups, rows),
            fields=fenced("fields", "\n".join(map(_field, fields.values())), 12_000),
            dead_ends=fenced("dead_ends", "\n".join(sorted(dead_ends)) or "(none)"),
            most=most,
        )

        def read(reply: EditsProposed) -> list[Edit]:
            return [_edit(each, fields, groups) for each in reply.edits]

        return submit(
            ask(self.client, prompt, read, item_id=self.item_id, seed_id=self.item_id)
        ).result()

    def reviewed(
        self,
        edits: Sequence[Edit],
        groups: Sequence[Mapping[str, Any]],
        rows: Sequence[TaskRow],
    ) -> list[str]:
        """Why each edit is refused, in the order of the edits; "" for an accepted edit."""
        listed = "\n".join(
            f"{n}. {e.action} {e.path} {json.dumps(e.before)} -> {json.dumps(e.after)}, for {e.stage} / {e.cause}: {e.why}"
            for n, e in enumerate(edits, 1)
        )
        prompt = render(
            ROLES[REVIEW],
            faults=_faults(groups, rows),
            edits=fenced("edits", listed),
            least=self.least,
        )

        def read(reply: EditsReviewed) -> list[str]:
            verdicts: dict[int, EditReviewed] = {each.number: each for each in reply.verdicts}
            if missing := set(range(1, len(edits) + 1)) - set(verdicts):
                raise ValueError(f"no verdict on {', '.join(map(str, sorted(missing)))}")
            return [
                "" if verdicts[n].accept else verdicts[n].why or "refused"
                for n in range(1, len(edits) + 1)
            ]

        return submit(
            ask(self.client, prompt, read, item_id=self.item_id, seed_id=self.item_id)
        ).result()


def _edit(
    said: ProposedEdit, fields: Mapping[str, Field], groups: Sequence[Mapping[str, Any]]
) -> Edit:
    field = fields.get(said.path)
    if field is None:
        raise ValueError(f"{said.path} is no field that may change; take one of the list")
    if not 1 <= said.number <= len(groups):
        raise ValueError(f"there is no fault {said.number}")
    group = groups[said.number - 1]
    return Edit(
        action=said.action,
        path=said.path,
        before=field.value,
        after=_value(said, field),
        stage=group["stage"],
        cause=group["cause"],
        tasks=tuple(group["tasks"]),
        why=said.why,
    )


def _value(said: ProposedEdit, field: Field) -> Any:
    match said.action:
        case "append":
            return f"{field.value}\n{said.value}".strip()
        case "rewrite":
            return said.value
        case "replace":
            old, arrow, new = said.value.partition(" => ")
            if not arrow or not isinstance(field.value, str) or old not in field.value:
                raise ValueError(f"{said.path}: the words to be replaced do not stand in the text")
            return field.value.replace(old, new, 1)
    try:
        return json.loads(said.value)
    except ValueError:
        return said.value


def _field(field: Field) -> str:
    rules = field.rules
    bounds = (
        f"text of at most {rules.max_chars} characters"
        if rules.max_chars
        else " | ".join(rules.choices)
        if rules.choices
        else "true | false"
        if isinstance(field.value, bool)
        else f"{rules.low:g} to {rules.high:g}, step {rules.step:g}"
    )
    return f"{field.path} = {json.dumps(field.value)} ({bounds})"


def _faults(groups: Sequence[Mapping[str, Any]], rows: Sequence[TaskRow]) -> Fenced:
    words = {row.id: row.question for row in rows}
    lines = []
    for number, group in enumerate(groups, 1):
        lines.append(
            f"{number}. {group['stage']} / {group['cause']}: {len(group['tasks'])} tasks, weight {group['weight']:g}"
        )
        shown = list(zip(group["tasks"], group["whys"], strict=True))[:MAX_TASKS_SHOWN]
        lines += [f"   - {words[task]} ({why})" for task, why in shown]
    return fenced("faults", "\n".join(lines), 8_000)


def open_editor(loop: LoopFolder, at: RoundFolder, opened: Opened) -> Editor | None:
    """The editor for a loop with a model as diagnoser. The editor is None if the diagnoser uses no
    model."""
    if loop.recipe.evolve.diagnoser != "llm":
        return None
    job = Job(at.synth, loop.store, at.as_run, opened)
    return Editor(job.client(PROPOSE), loop.recipe.evolve.min_cases, f"round {at.number}")

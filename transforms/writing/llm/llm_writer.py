"""The llm writer: every role is a prompt, every reply is read against the material that the prompt showed.

The model writes the words; the form beside them is made by code, from the claims that the reply cites (`material.py`)
and from what a rewriting does to the question (`rewriting.py`). Where neither gives a form, the draft has none, and
only votes can support it. Roles: VSearcher 2.2 (injection), OpenSearch-VL 3.1 (paths).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from questloom.agent.judges.match import match
from questloom.models.structured import BadReply, RefusedReply
from questloom.prompts import replies
from questloom.prompts.ask import Client, ask
from questloom.prompts.fence import Fenced, fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.render import language_name, render
from questloom.prompts.roles import ROLES
from questloom.records.form import Ask, ClaimClause, Clause, Form, Image
from questloom.records.knowledge import Entity, entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Hop, Rewrite, Seed
from questloom.transforms.certificate.kinds import KINDS
from questloom.transforms.writing.answers import in_words, short
from questloom.transforms.writing.form_edits import constants, next_var
from questloom.transforms.writing.llm.citations import (
    OPEN,
    check_no_claim_against,
    check_one_value,
    check_relation_stated,
    each,
    fact_of,
)
from questloom.transforms.writing.llm.describing import Describing, unanswered
from questloom.transforms.writing.llm.draft_parts import (
    ask_for,
    asking_values,
    blocks,
    described,
    formal_first,
    hop_clause,
    pictured,
    place_of,
    question_values,
)
from questloom.transforms.writing.llm.evidence_words import (
    about,
    clause_words,
    evidence_lines,
    hop_words,
    kinds_lines,
    roles_of,
)
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.material import (
    ClaimLine,
    Material,
    agrees,
    answer_from_claim,
    answer_from_sentence,
    states,
)
from questloom.transforms.writing.llm.mentions import (
    entity_of,
    named_entities,
    taken_entities,
    without_shared,
)
from questloom.transforms.writing.llm.precheck import Judge, Precheck
from questloom.transforms.writing.llm.question_checks import check_one_sentence
from questloom.transforms.writing.llm.rewriting import check_kept, clauses_of, standing
from questloom.transforms.writing.llm.walks import askable_path
from questloom.transforms.writing.llm.word_proof import (
    check_words_proven,
    proof_lines,
    things,
    words_vote,
)
from questloom.transforms.writing.writer import Draft, Fact, Mention, Vote, WriterRejection

NUM_MENTIONS = 4
"""Entities asked for in one call."""
Read = TypeVar("Read")


@dataclass(frozen=True)
class LlmWriter:
    """Implements `questloom.transforms.writing.writer.Writer` with a chat model.

    Every method raises `WriterRejection` where the replies are of no use or the model refuses. `ProviderFault` and
    `BudgetExceeded` of the client pass through: the seed stays pending.

    Args:
        client: `questloom.models.chat_client`'s client.
        store: the store.
        rules: the recipe's part.
        max_answer_words: the recipe's limit (`DraftRules`).
        language: in which it is asked to write.
        judge: the certificate's, so that nothing is asked for that it would refuse; None holds nothing back.
        search: what a search for a question finds, as text for those who vote on it; None shows them the author's evidence alone.
    """

    client: Client
    store: Any
    rules: LlmRules
    max_answer_words: int
    language: str = "en"
    judge: Judge | None = None
    search: Callable[[str], str] | None = None

    name: str = "llm"

    @property
    def _precheck(self) -> Precheck:
        return Precheck(self.store, self.judge, self.language, self.max_answer_words)

    async def _ask(
        self,
        role: str,
        seed: Seed,
        read: Callable[[Any], Read],
        values: Mapping[str, Any],
        sample: int = 0,
    ) -> Read:
        prompt = render(
            ROLES[role],
            language=language_name(self.language),
            guidance=self.rules.guidance.get(role, ""),
            most_words=in_words(self.max_answer_words),
            **values,
        )
        try:
            return await ask(
                self.client, prompt, read, item_id=seed.id, seed_id=seed.id, sample=sample
            )
        except RefusedReply as error:
            raise WriterRejection(
                Reason.REFUSED, {"role": role, "message": str(error)[:500]}
            ) from error
        except BadReply as error:
            raise WriterRejection(
                Reason.BAD_REPLY, {"role": role, "message": str(error)[:500]}
            ) from error

    @property
    def _languages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.language, "en")))

    @property
    def _describing(self) -> Describing:
        return Describing(
            store=self.store,
            precheck=self._precheck,
            languages=self._languages,
            tries=self.rules.tries,
        )

    def _proven(self, draft: Draft, cited: str = "") -> Draft:
        """The draft, if no rule finds that its words say more than its evidence and what was `cited` besides. Raises ValueError, with words for the model."""
        check_words_proven(self.store, draft, self.language, self._languages, cited)
        return draft

    def _called(
        self, entity: Entity, draft: Draft | None = None, pictured: bool = False
    ) -> dict[str, str]:
        """What a prompt calls an entity, of a draft also by what its claims make of it, of a picture's also by what anybody sees."""
        roles = roles_of(draft) if draft is not None else ()
        return {
            "name": entity.label(self.language),
            "description": about(self.store, entity, self.language, roles, pictured),
        }

    # Starting points

    async def seed_question(self, seed: Seed, entity: Entity, last: bool = False) -> list[Draft]:
        shown = self._describing.material(entity, inverse=False)
        askable = self._precheck.askable(entity, shown)
        if self.judge is not None and not shown.sentences:
            askable = tuple(
                n for n in askable if self._describing.askable(entity, shown.claim(n), last)
            )
        if not askable and not shown.sentences:
            return []

        def one(asked: replies.SeedQuestion) -> Draft:
            draft = self._asked(
                asked, shown, (), entity_value(entity.id), {}, "seed_question", askable
            )
            if draft.form is not None:
                draft = replace(
                    draft,
                    form=self._precheck.spoken(draft.form, entity.id, self._beside(asked, shown)),
                )
            draft = self._proven(draft, shown.cited(asked.sentence))
            if (
                asked.also
                and draft.form is not None
                and self.judge is not None
                and not any(self._describing.growing(draft, self._named(draft, seed), last))
            ):
                raise ValueError(
                    "with what it says beside, nothing that it names can be described: leave that out and ask for the claim alone"
                )
            return draft

        values = {
            **self._called(entity),
            **blocks(shown),
            **asking_values(self.store, askable, shown, self.rules.questions, self.language),
        }
        return await self._ask(
            "seed_question", seed, lambda reply: formal_first(each(reply.questions, one)), values
        )

    def _beside(self, asked: replies.SeedQuestion, shown: Material) -> list[ClaimLine]:
        """The claims that a question states beside the one that it asks for, less those of its kind: what a thing is called goes with its name."""
        lines = [shown.claim(c.number) for c in asked.also]
        for line, cited in zip(lines, asked.also, strict=True):
            if cited.words not in asked.question or not states(
                self.store, line, cited.words, self.language
            ):
                raise ValueError(
                    f'the words "{cited.words}" do not stand in the question, or do not show "{line.words}"'
                )
            check_relation_stated(self.store, line, cited.words, self.language)
        return [line for line in lines if line.claim.property not in KINDS]

    async def canonical_question(
        self, seed: Seed, hops: tuple[Hop, ...], entities: tuple[Entity, ...]
    ) -> list[Draft]:
        first, last = entities[0], entities[-1]
        shown = self._describing.material(
            last, avoid=frozenset(e.id for e in entities), inverse=False
        )
        if not askable_path(hops, entities, self._languages):
            return []
        # A hop that only a sentence holds cannot be executed: such a path has no form, and votes support it.
        formal = all(hop.property for hop in hops)
        path: tuple[Clause, ...] = (
            Image(var=hops[0].source),
            *(hop_clause(hop) for hop in hops if formal),
        )
        bindings = {
            hops[0].source: first.id,
            **{hop.target: e.id for hop, e in zip(hops, entities[1:], strict=True)},
        }

        def asking(line: ClaimLine) -> tuple[Form, dict[str, str]]:
            asked = ClaimClause(subject=hops[-1].target, property=line.claim.property, object="a")
            return Form(clauses=(*path, asked), ask=Ask(var="a", type="")), {
                **bindings,
                "a": line.claim.value.key(),
            }

        def walkable(number: int) -> bool:
            line = shown.claim(number)
            form, found = asking(line)
            return self._describing.walkable(unanswered(line, hops=hops, form=form, bindings=found))

        askable = self._precheck.askable(last, shown, asking if formal else None)
        askable = tuple(n for n in askable if walkable(n)) if formal else askable
        if not (askable or shown.sentences):
            return []

        def one(asked: replies.PathQuestion) -> Draft:
            check_one_sentence(asked.question, len(hops))
            draft = self._asked(
                asked, shown, path, hops[-1].target, bindings, "canonical_question", askable
            )
            draft = replace(
                draft,
                hops=hops,
                anchor=first.id,
                anchor_phrase=asked.phrase,
                form=draft.form if formal else None,
            )
            return self._proven(draft, shown.cited(asked.sentence))

        values = {
            **self._called(first, pictured=True),
            **blocks(shown),
            "last": last.label(self.language),
            "sentence_steps": not formal,
            **asking_values(self.store, askable, shown, self.rules.questions, self.language),
            "path": fenced("path", hop_words(self.store, hops, entities, self.language)),
        }
        return await self._ask(
            "canonical_question",
            seed,
            lambda reply: formal_first(each(reply.questions, one)),
            values,
        )

    def _asked(
        self,
        asked: replies.WrittenQuestion,
        shown: Material,
        path: tuple[Clause, ...],
        subject: Any,
        bindings: dict[str, str],
        role: str,
        askable: tuple[int, ...],
    ) -> Draft:
        """One question of a reply as a draft: with a form where its answer is a claim's value, without one otherwise."""
        language = self.language
        step = Rewrite(
            round=0, role=role, before="", after=asked.question, entity_id=shown.entity.id
        )
        if asked.claim is not None:
            line = shown.claim(asked.claim)
            if asked.claim not in askable:
                raise ValueError(
                    f"claim {asked.claim} may not be asked for; those that may are {_numbers(askable)}"
                )
            check_one_value(shown, line)
            answer = short(
                answer_from_claim(self.store, line, asked, language), self.max_answer_words
            )
            check_relation_stated(self.store, replace(line, inverse=True), asked.question, language)
            form = Form(
                clauses=(
                    *path,
                    ClaimClause(subject=subject, property=line.claim.property, object="a"),
                ),
                ask=ask_for(answer),
            )
            step = step.replace(fact=line.words, source=line.words, revision=line.claim.revision)
            return Draft(
                text=asked.question,
                answer=answer,
                form=form,
                bindings={**bindings, "a": line.claim.value.key()},
                history=(step,),
            )
        if asked.sentence is None or not self._precheck.takes_votes:
            raise ValueError("cite the claim whose value is the answer")
        sentence = shown.sentence(asked.sentence)
        answer = short(
            answer_from_sentence(self.store, shown, sentence, asked, language),
            self.max_answer_words,
        )
        check_no_claim_against(
            self.store,
            shown,
            asked.question,
            lambda line: agrees(self.store, line, asked.answer, language),
            answer.value.kind,
            language,
        )
        step = step.replace(
            fact=sentence.text, source=sentence.text, **place_of(shown, asked.sentence)
        )
        return Draft(text=asked.question, answer=answer, bindings=dict(bindings), history=(step,))

    # Injection

    async def pick_entity(self, draft: Draft, seed: Seed, last: bool = False) -> list[Mention]:
        named = self._named(draft, seed)
        if (
            self.judge is not None and draft.form is not None
        ):  # a name that nothing could take the place of is not worth a request
            named = {e: named[e] for e in self._describing.growing(draft, named, last)}
        at_hand = "; ".join(f"{n}*" if self.store.images_of(e) else n for e, n in named.items())
        return await self._pick(
            "pick_entity",
            draft,
            seed,
            {"anchor_phrase": draft.anchor_phrase, "at_hand": at_hand},
            named,
        )

    async def pick_image_entity(self, draft: Draft, seed: Seed) -> list[Mention]:
        named = {
            e: n
            for e, n in self._named(draft, seed).items()
            if self.store.images_of(e)
            and self._precheck.certified(*pictured(draft.form, draft.bindings, e))
        }
        return await self._pick(
            "pick_image_entity", draft, seed, {"at_hand": "; ".join(named.values())}, named
        )

    def _named(self, draft: Draft, seed: Seed) -> dict[str, str]:
        """What may be hidden or shown: of a draft with a form the things that the form names, for what it does not name it cannot prove."""
        found = without_shared(
            self.store,
            named_entities(self.store, draft, seed.entity_id, self._languages),
            self._languages,
        )
        formal = constants(draft.form) if draft.form is not None else ()
        return {e: n for e, n in found.items() if e in formal} if formal else found

    async def _pick(
        self, role: str, draft: Draft, seed: Seed, values: dict[str, Any], at_hand: dict[str, str]
    ) -> list[Mention]:
        """The model's choice among the names that the store can go on with; none is asked for where there is no choice."""
        if len(at_hand) < 2:
            return [Mention(entity_id=e, surface=n) for e, n in at_hand.items()]

        def read(reply: replies.PickedEntities) -> list[Mention]:
            found: dict[str, Mention] = {}
            for picked in reply.entities:
                if picked.surface not in draft.text:
                    raise ValueError(f'"{picked.surface}" does not stand in the question')
                entity_id = entity_of(
                    self.store, draft, picked.surface, picked.title, seed.entity_id, self._languages
                )
                if entity_id in at_hand:
                    found.setdefault(
                        entity_id, Mention(entity_id=entity_id, surface=picked.surface)
                    )
            return list(found.values())

        return await self._ask(
            role,
            seed,
            read,
            {**question_values(draft), **values, "num_wanted": NUM_MENTIONS},
        )

    async def take_fact(
        self, draft: Draft, mention: Mention, seed: Seed, last: bool = False
    ) -> list[Fact]:
        return await self._facts("take_fact", draft, mention, seed, {}, last)

    async def describe(self, draft: Draft, mention: Mention, seed: Seed) -> list[Fact]:
        others = [self.store.entity(e) for v, e in draft.bindings.items() if v != mention.var]
        names = (
            "; ".join(sorted({e.label(self.language) for e in others if e is not None})) or "(none)"
        )
        return await self._facts(
            "describe",
            draft,
            mention,
            seed,
            {"forbidden": names, "known": self._known(draft, mention)},
        )

    async def _facts(
        self,
        role: str,
        draft: Draft,
        mention: Mention,
        seed: Seed,
        values: dict[str, Any],
        last: bool = False,
    ) -> list[Fact]:
        """Descriptions of an entity that the certificate will take: the prompt offers the sets of claims that it takes, where there are any.

        A description that it would refuse goes back to the model once, with the reason.
        """
        entity = self.store.entity(mention.entity_id)
        shown = self._describing.select_material(draft, entity)
        formal = (
            self.judge is not None
            and draft.form is not None
            and (mention.var or entity.id in constants(draft.form))
        )
        others = self._named(draft, seed) if role == "take_fact" else {}
        needs_picture = role == "take_fact" and self._describing.needs_picture(entity.id, others)
        found = (
            self._describing.offers(draft, mention, shown, needs_picture, last) if formal else ()
        )
        if formal and not found and not shown.sentences:
            return []

        def one(reply: replies.Description) -> Fact:
            fact = fact_of(self.store, reply, shown, self.language, called["description"])
            return (
                self._describing.taken(draft, mention, fact, last)
                if formal and fact.clauses and not fact.article_id
                else fact
            )

        called, sets = self._called(entity, draft), "; ".join(offer.words for offer in found)
        otherwise = (
            f"these sets of claims will do: {sets}; where none of them makes a good description, reply with an empty list"
            if sets
            else OPEN
        )
        return await self._ask(
            role,
            seed,
            lambda reply: each(reply.descriptions, one, otherwise),
            {
                **called,
                **question_values(draft),
                **blocks(shown),
                **values,
                "offers": sets,
                "num_wanted": min(self.rules.facts, len(found)) if found else self.rules.facts,
            },
        )

    async def inject(
        self, draft: Draft, mention: Mention, facts: tuple[Fact, ...], seed: Seed
    ) -> Draft:
        entity = self.store.entity(mention.entity_id)

        def read(reply: replies.Injected) -> Draft:
            check_kept(
                self.store,
                draft,
                reply.question,
                mention.surface,
                facts,
                entity.id,
                self._languages,
            )
            form, bindings, _ = described(
                draft,
                mention,
                tuple(c for fact in facts for c in clauses_of(self.store, fact, reply.question)),
            )
            fact = facts[0]
            step = Rewrite(
                round=len(draft.history),
                role="describe" if mention.var else "inject",
                before=draft.text,
                after=reply.question,
                entity_id=entity.id,
                fact="; ".join(f.text for f in facts),
                source=fact.sentence,
                article_id=fact.article_id,
                revision=fact.revision,
                section=fact.section,
                start=fact.start,
                end=fact.end,
            )
            return self._proven(
                draft.rewritten(
                    step,
                    text=reply.question,
                    form=form,
                    bindings=bindings,
                    anchor_phrase=standing(reply.question, draft.anchor_phrase),
                )
            )

        return await self._ask(
            "inject",
            seed,
            read,
            {
                **question_values(draft),
                **self._called(entity, draft),
                "surface": mention.surface,
                "known": self._known(draft, mention),
                "facts": fenced("descriptions", "\n".join(f"- {f.text}" for f in facts)),
            },
        )

    async def hide_entity(self, draft: Draft, mention: Mention, seed: Seed) -> Draft:
        entity = self.store.entity(mention.entity_id)

        def read(reply: replies.Hidden) -> Draft:
            check_kept(
                self.store, draft, reply.question, mention.surface, (), entity.id, self._languages
            )
            if reply.phrase in draft.text:
                raise ValueError(
                    f'"{reply.phrase}" stood in the question before; it does not point to the picture'
                )
            form, bindings = pictured(draft.form, draft.bindings, entity.id)
            step = Rewrite(
                round=len(draft.history),
                role="hide_entity",
                before=draft.text,
                after=reply.question,
                entity_id=entity.id,
            )
            return self._proven(
                draft.rewritten(
                    step,
                    text=reply.question,
                    form=form,
                    bindings=bindings,
                    anchor=entity.id,
                    anchor_phrase=reply.phrase,
                )
            )

        return await self._ask(
            "hide_entity",
            seed,
            read,
            {
                **question_values(draft),
                **self._called(entity, pictured=True),
                "surface": mention.surface,
            },
        )

    async def obfuscate_answer(self, draft: Draft, seed: Seed) -> Draft | None:
        """The question asking for an attribute of its former answer (OpenSearch-VL 3.1, "occasional answer obfuscation").

        None where the answer is no entity, the draft has no form, or nothing is known of the answer.
        """
        entity = (
            self.store.entity(draft.answer.value.entity)
            if draft.answer.value.kind == "entity"
            else None
        )
        shown = (
            self._describing.material(
                entity, avoid=taken_entities(draft) - {entity.id}, inverse=False
            )
            if entity
            else None
        )
        if draft.form is None or shown is None or not shown.claims:
            return None
        before = draft.form

        def read(reply: replies.Obfuscated) -> Draft:
            check_kept(self.store, draft, reply.question, "", (), shown.entity.id, self._languages)
            line = shown.claim(reply.claim)
            check_one_value(shown, line)
            answer = short(
                answer_from_claim(self.store, line, reply, self.language),
                self.max_answer_words,
            )
            check_relation_stated(
                self.store, replace(line, inverse=True), reply.question, self.language
            )
            var = next_var(before, "a")
            form = Form(
                clauses=(
                    *before.clauses,
                    ClaimClause(subject=before.ask.var, property=line.claim.property, object=var),
                ),
                ask=ask_for(answer, var),
            )
            step = Rewrite(
                round=len(draft.history),
                role="obfuscate_answer",
                before=draft.text,
                after=reply.question,
                entity_id=shown.entity.id,
                fact=line.words,
                source=line.words,
                revision=line.claim.revision,
            )
            bindings = {**draft.bindings, var: line.claim.value.key()}
            return self._proven(
                draft.rewritten(
                    step, text=reply.question, answer=answer, form=form, bindings=bindings
                )
            )

        return await self._ask(
            "obfuscate_answer",
            seed,
            read,
            {
                **self._called(shown.entity),
                "question": fenced("question", draft.text),
                "claims": shown.claims_block,
            },
        )

    def _known(self, draft: Draft, mention: Mention) -> Fenced:
        """What the question already says of a node that it does not name, so that the model can tell which place is meant."""
        said = (
            clause_words(self.store, draft, self.language, mention.var)
            if draft.form is not None and mention.var
            else ()
        )
        return fenced("known", "\n".join(said) or "(nothing more than its words)")

    async def word(self, draft: Draft, seed: Seed) -> Draft | None:
        return draft

    # Votes

    async def check_words(self, draft: Draft, seed: Seed, num: int = 0) -> list[Vote] | None:
        lines = proof_lines(self.store, draft, self.language)
        language = self.language

        def read(reply: replies.WordsRead) -> Vote:
            return words_vote(self.store, draft, lines, reply, language)

        numbered = "\n".join(f"{n}. {line.words}" for n, line in enumerate(lines, start=1))
        return await self._votes(
            "check_words",
            seed,
            read,
            {
                **question_values(draft),
                "shown": self._shown(draft),
                "lines": fenced("lines", numbered),
                "kinds": fenced(
                    "kinds",
                    kinds_lines(self.store, things(draft), draft.anchor, language, roles_of(draft)),
                ),
            },
            num,
        )

    async def check_picture(self, draft: Draft, seed: Seed) -> list[Vote]:
        def read(reply: replies.PictureVote) -> Vote:
            right = reply.guess is not None and bool(
                match(draft.answer, reply.guess, question=draft.text, language=self.language)
            )
            return Vote(holds=reply.needed and not right, other=reply.guess or "", why=reply.why)

        return await self._votes(
            "check_picture",
            seed,
            read,
            {
                "question": fenced("question", draft.text),
                "phrase": draft.anchor_phrase,
                "found": self._found(draft),
            },
        )

    async def check_unique(self, draft: Draft, seed: Seed) -> list[Vote]:
        def read(reply: replies.UniquenessVote) -> Vote:
            return Vote(holds=reply.holds, other=reply.rival or "", why=reply.why)

        return await self._votes(
            "check_unique",
            seed,
            read,
            {
                **question_values(draft),
                "shown": self._shown(draft),
                "found": self._found(draft),
                "evidence": fenced("evidence", evidence_lines(self.store, draft, self.language)),
            },
        )

    async def check_invariant(self, before: Draft, after: Draft, seed: Seed) -> list[Vote]:
        step = after.history[-1]

        def read(reply: replies.InvarianceVote) -> Vote:
            return Vote(holds=reply.holds, other=reply.other_answer or "", why=reply.why)

        return await self._votes(
            "check_invariant",
            seed,
            read,
            {
                "before": fenced("first", before.text),
                "after": fenced("second", after.text),
                "answer": answer_words(after.answer),
                **self._called(self.store.entity(step.entity_id)),
                "shown": self._shown(after),
                "fact": fenced("source", step.source or step.fact)
                if step.source or step.fact
                else "",
            },
        )

    async def _votes(
        self,
        role: str,
        seed: Seed,
        read: Callable[[Any], Vote],
        values: Mapping[str, Any],
        num: int = 0,
    ) -> list[Vote]:
        return list(
            await asyncio.gather(
                *(
                    self._ask(role, seed, read, values, sample=n)
                    for n in range(num or self.rules.votes)
                )
            )
        )

    def _shown(self, draft: Draft) -> str:
        return self.store.label(draft.anchor, self.language) if draft.anchor else ""

    def _found(self, draft: Draft) -> Fenced | str:
        """What a search for the question finds: a rival that the author did not think of may stand there."""
        return (
            fenced("found", text)
            if self.search is not None and (text := self.search(draft.text))
            else ""
        )


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers)) or "(none)"

"""The search over weights finds what a score asks for, whatever the scale of the relations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tacit import MLSA, Relations
from tacit.errors import InputError
from tacit.evaluate import choose_weights, hold_out


def planted(scale: float = 1.0, n_users: int = 80, density: float = 0.15) -> Relations:
    """Users and items of five kinds; tags that tell the kind of an item, and noise that tells nothing."""
    rng = np.random.default_rng(3)
    taste, kind = rng.integers(5, size=n_users), rng.integers(5, size=60)
    rated = (taste[:, None] == kind) & (rng.random((n_users, 60)) < density)
    tags = (kind[:, None] == np.arange(10) % 5) & (rng.random((60, 10)) < 0.7)
    noise = rng.random((60, 40)) < 0.4
    graph = Relations().add("user", "item", rated.astype(float)).add("item", "tag", tags * scale)
    return graph.add("item", "noise", noise * scale)


def test_relations_that_help_are_kept_and_noise_is_not():
    found = choose_weights(planted(), "user-item", model=MLSA(n_components=5))
    assert found.weights["item-tag"] > 0.1
    assert found.weights["item-noise"] < 0.25 * found.weights["item-tag"]
    assert found.gain > 0.05
    assert found.finished


def test_the_chosen_weights_beat_the_relation_alone_on_entries_never_seen():
    # so few ratings that users of one taste hang together by the tags of their items only
    outer = hold_out(planted(n_users=300, density=0.07), "user-item", random_state=7)
    model = MLSA(n_components=5)
    found = choose_weights(outer.relations, "user-item", model=model)
    alone = {"user-item": 1.0, "item-tag": 0.0, "item-noise": 0.0}
    chosen, plain = (MLSA(n_components=5, weights=w).fit(outer.relations) for w in (found.weights, alone))
    assert outer.ndcg(chosen) > outer.ndcg(plain) + 0.03


def test_a_relation_in_other_units_ends_at_the_same_strength():
    plain, scaled = (choose_weights(planted(scale), "user-item", model=MLSA(n_components=5)) for scale in (1.0, 1000.0))
    assert scaled.score == pytest.approx(plain.score, abs=0.03)


def test_the_search_comes_close_to_the_proportion_that_a_score_asks_for():
    def score(model):
        blocks = {block.name: block.weight for block in model.relations_.blocks}
        if not all(blocks.values()):
            return -100.0
        return -((math.log(blocks["item-tag"] / blocks["user-item"] / 30)) ** 2) - (
            math.log(blocks["item-noise"] / blocks["user-item"] * 50) ** 2
        )

    found = choose_weights(planted(), score=score, model=MLSA(n_components=2), n_trials=200)
    assert found.weights["item-tag"] / found.weights["user-item"] == pytest.approx(30, rel=0.2)
    assert found.weights["item-noise"] / found.weights["user-item"] == pytest.approx(1 / 50, rel=0.2)


def test_the_first_trial_is_the_weights_as_they_came():
    graph = planted().with_weights({"item-tag": 0.5})
    model = MLSA(n_components=3, weights={"item-noise": 0.1})
    found = choose_weights(graph, "user-item", model=model, n_trials=1)
    assert found.trials[0].weights == {"user-item": 1.0, "item-tag": 0.5, "item-noise": 0.1}
    assert (len(found.trials), found.finished, found.gain) == (1, False, 0.0)


def test_the_same_seed_gives_the_same_search():
    first, again = (choose_weights(planted(), "user-item", model=MLSA(n_components=3)) for _ in range(2))
    assert first.trials == again.trials


def test_no_proportion_is_tried_twice():
    found = choose_weights(planted(), "user-item", model=MLSA(n_components=3))
    assert len({tuple(trial.weights.values()) for trial in found.trials}) == len(found.trials)
    assert all(max(trial.weights.values()) == 1 for trial in found.trials)


def test_progress_is_reported_and_shown(capsys):
    told = []
    choose_weights(planted(), "user-item", n_trials=5, progress=lambda *news: told.append(news))
    assert [number for number, _, _ in told] == [1, 2, 3, 4, 5]
    found = choose_weights(planted(), "user-item", n_trials=5, progress=True)
    said = capsys.readouterr().err
    assert f"{found.score:.4f}" in said
    assert "item-tag" in said


def test_the_table_has_the_best_first():
    found = choose_weights(planted(), "user-item", n_trials=8)
    lines = found.table(limit=3).splitlines()
    assert lines[0].split() == ["score", "user-item", "item-tag", "item-noise"]
    assert len(lines) == 4
    assert float(lines[1].split()[0]) == pytest.approx(found.score, rel=1e-3)


@pytest.mark.parametrize(("given", "got"), [({}, "neither"), ({"target": "user-item", "score": len}, "both")])
def test_target_or_score_is_needed(given, got):
    with pytest.raises(InputError, match=f"target and score do not go together: got {got}"):
        choose_weights(planted(), **given)


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="score is out of range: got nan"):
        choose_weights(planted(), score=lambda model: math.nan)


def test_unknown_targets_are_refused():
    with pytest.raises(InputError, match="relation is unknown"):
        choose_weights(planted(), "user-tag")

"""Every endpoint answers in the shape of the contract, on a small collection whose subjects are known."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from fastapi.testclient import TestClient
from served import SCRIPT, build_served, served_records

from tacit.serve.app import create_app


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    path = build_served(tmp_path_factory.mktemp("served") / "shelf.tacit")
    with TestClient(create_app([path]), base_url="http://localhost") as opened:
        yield opened


@pytest.fixture(scope="module")
def get(client):
    def got(path: str, status: int = 200, **parameters):
        answer = client.get(f"/api/v1{path}", params=parameters)
        assert answer.status_code == status, answer.text
        return answer.json()

    return got


def _array(client, path: str, **parameters):
    answer = client.get(f"/api/v1/shelf/map/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return np.load(io.BytesIO(answer.content))


def test_the_indexes_are_listed(get):
    assert get("") == {
        "items": [{"name": "shelf", "title": "Shelf", "records": 120, "generation": "generation-000001"}],
        "next": None,
    }


def test_info_says_what_there_is_and_what_can_be_asked(get):
    info = get("/shelf/info")
    assert (info["records"], info["labels"], info["has_taxonomy"]) == (120, 5, True)
    assert info["link_kinds"] == ["author"]
    fields = {field["name"]: field for field in info["fields"]}
    assert (fields["year"]["kind"], fields["year"]["low"], fields["year"]["high"]) == ("number", 1990, 1996)
    assert fields["place"]["kind"] == "text"
    assert sorted(fields["place"]["values"]) == [["Oslo", 60], ["Rome", 60]]
    abilities = ("suggest", "reasons", "map", "plain", "recommend", "concepts")
    assert info["can"] == {**dict.fromkeys(abilities, True), "write": False}
    assert len(info["examples"]) == 3
    assert "words" in info["counted"]


@pytest.mark.parametrize("by", ["hybrid", "meaning", "words"])
def test_a_search_finds_its_subject_and_says_why(get, by):
    answer = get("/shelf/search", q="whale blubber", by=by, limit=5)
    assert len(answer["items"]) == 5
    for hit in answer["items"]:
        assert hit["labels"] in ([{"label": "whales", "title": "whales"}], [])
        assert 0 <= hit["score"] <= 1
        assert hit["why"].endswith(".")
        assert hit["map"] is not None
        assert hit["map"]["px"] is not None
        for start, end in hit["snippet"]["marks"]:
            assert (
                hit["snippet"]["text"][start:end]
                .lower()
                .startswith(("whale", "blubber", "fluke", "ocean", "song", "harp"))
            )
    scores = [hit["score"] for hit in answer["items"]]
    assert scores == sorted(scores, reverse=True)
    parts = answer["items"][0]["parts"]
    assert (parts["meaning"] is None, parts["words"] is None) == (by == "words", by == "meaning")
    assert (answer["pin"] is None) == (by == "words")


def test_pages_follow_each_other_without_a_record_twice(get):
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(20):
        answer = get("/shelf/search", q="whale ship garden", limit=17, **cursor)
        seen += [hit["id"] for hit in answer["items"]]
        if answer["next"] is None:
            break
        cursor = {"cursor": answer["next"]}
    assert len(seen) == len(set(seen)) > 60
    whole = get("/shelf/search", q="whale ship garden", limit=100)["items"]
    assert seen[: len(whole)] == [hit["id"] for hit in whole]


def test_without_a_query_the_records_come_in_order(get):
    answer = get("/shelf/search", limit=3)
    assert [hit["number"] for hit in answer["items"]] == [0, 1, 2]
    assert (answer["total"], answer["next"]) == (120, "o3")
    last = get("/shelf/search", limit=20, cursor="o110")
    assert ([hit["number"] for hit in last["items"]], last["next"]) == (list(range(110, 120)), None)


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        ({"label": "cats"}, lambda record: "cats" in record.labels),
        ({"under": "sea"}, lambda record: {"whales", "ships"} & set(record.labels)),
        ({"where": "place=Oslo"}, lambda record: record.fields["place"] == "Oslo"),
        ({"where": ["author=Ann", "year=1991"]}, lambda one: _is_of(one, "Ann", 1991)),
        ({"range": "year=1992..1993"}, lambda record: record.fields["year"] in (1992, 1993)),
    ],
)  # fmt: skip
def test_filters_pass_what_they_say_and_rows_agree(client, get, filters, passes):
    expected = [number for number, record in enumerate(served_records()) if passes(record)]
    found = get("/shelf/search", limit=100, **filters)
    assert [hit["number"] for hit in found["items"]] == expected[:100]
    assert found["total"] == len(expected)
    packed = client.get("/api/v1/shelf/map/rows", params=filters).content
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")[:120]
    assert np.flatnonzero(bits).tolist() == expected
    hits = get("/shelf/search", q="whale cat rose", limit=100, **filters)["items"]
    assert {hit["number"] for hit in hits} <= set(expected)


def test_records_come_by_number_and_by_id_whatever_the_id(client, get):
    several = get("/shelf/records", number=[5, 2], id="r9")
    assert [item["number"] for item in several["items"]] == [5, 2, 9]
    for record in served_records()[:4]:
        found = get(f"/shelf/records/{_quoted(record.id)}")
        assert (found["id"], found["text"], found["title"]) == (record.id, record.text, record.title)
    path = get("/shelf/records/r5")["labels"][0]["path"]
    assert [above["label"] for above in path] == ["sea"]
    get("/shelf/records/nobody", 404)
    get("/shelf/records", 404, number=120)


def test_similar_records_share_the_subject_and_say_what_else(get):
    answer = get("/shelf/similar", id="r5", limit=5)
    assert all(hit["labels"] in ([], [{"label": "whales", "title": "whales"}]) for hit in answer["items"])
    assert "r5" not in [hit["id"] for hit in answer["items"]]
    assert any("both have label whales" in hit["why"] for hit in answer["items"])
    following = get("/shelf/similar", id="r5", limit=5, cursor=answer["next"])
    assert not {hit["id"] for hit in answer["items"]} & {hit["id"] for hit in following["items"]}
    get("/shelf/similar", 404, id="nobody")


def test_suggestions_come_with_path_reason_and_pin(client):
    asked = {"texts": ["the song of a whale in the ocean", "zzz"], "limit": 3}
    answer = client.post("/api/v1/shelf/suggest", json=asked)
    first, nothing = answer.json()["items"]
    best = first["suggestions"][0]
    assert (best["label"], best["path"]) == ("whales", [{"label": "sea", "title": "sea"}])
    assert 0 <= best["probability"] <= 1
    assert best["why"].endswith(".")
    assert best["evidence"]["sentences"]
    assert first["pin"] is not None
    assert nothing == {"suggestions": [], "pin": None}


def test_everything_can_be_explained(client, get):
    hit = get("/shelf/explain", q="whale song", id="r5")
    assert (hit["kind"], hit["score"].keys()) == ("hit", {"meaning", "words"})
    assert {word["word"] for word in hit["words"]} == {"whale", "song"}
    pair = get("/shelf/explain", id="r5", other="r15")
    assert pair["kind"] == "pair"
    assert [label["label"] for label in pair["labels"]] == ["whales"]
    assert pair["dimensions"]
    label = get("/shelf/explain", label="whales")
    assert (label["kind"], label["ancestors"][0]["label"]) == ("label", "sea")
    text = client.post("/api/v1/shelf/explain", json={"text": "a whale", "label": "whales"}).json()
    assert text["kind"] == "suggestion"
    assert "probability" in text["score"]
    get("/shelf/explain", 400, q="whale")
    get("/shelf/explain", 404, label="unheard of")


def test_the_tree_counts_each_record_once(get):
    tops = get("/shelf/labels")["items"]  # the single root is left out
    counts = {item["label"]: (item["records"], item["total"], item["children"]) for item in tops}
    labelled = [record.labels[0] for record in served_records() if record.labels]
    below = {"sea": ("whales", "ships"), "home": ("cats", "gardens"), "law": ("courts",)}
    assert counts == {top: (0, sum(label in under for label in labelled), len(under)) for top, under in below.items()}
    assert [item["total"] for item in tops] == sorted((item["total"] for item in tops), reverse=True)
    (first,) = get("/shelf/labels", parent="sea", limit=1)["items"]
    following = get("/shelf/labels", parent="sea", limit=1, cursor="o1")
    assert {first["label"], following["items"][0]["label"]} == {"whales", "ships"}
    assert first["path"] == [{"label": "sea", "title": "sea"}]
    assert following["next"] is None


def test_labels_are_looked_up_by_a_beginning_or_a_misspelling(get):
    assert get("/shelf/labels", q="gar")["items"][0]["label"] == "gardens"
    assert get("/shelf/labels", q="gardns")["items"][0]["label"] == "gardens"
    get("/shelf/labels", 404, parent="unheard of")


def test_a_label_has_words_neighbours_and_members(get):
    found = get("/shelf/label", label="whales")
    assert found["path"] == found["broader"] == [{"label": "sea", "title": "sea"}]
    assert {word["word"] for word in found["words"][:4]} <= {
        "whale",
        "blubber",
        "fluke",
        "ocean",
        "song",
        "harpoon",
        "whales",
    }
    assert "whales" not in [label["label"] for label in found["related"]]
    assert len(found["members"]) == 10
    assert all(member["labels"] == [{"label": "whales", "title": "whales"}] for member in found["members"])
    sea = get("/shelf/label", label="sea")
    assert {label["label"] for label in sea["narrower"]} == {"whales", "ships"}
    assert (sea["records"], len(sea["members"])) == (0, 10)


def test_concepts_and_recommendations(get):
    concepts = get("/shelf/concepts", limit=3)["items"]
    assert [concept["number"] for concept in concepts] == [1, 2, 3]
    assert concepts[0]["positive"]["words"] or concepts[0]["negative"]["words"]
    liked = get("/shelf/recommend", like=["r5", "r15"], dislike="r7", limit=4)["items"]
    assert len(liked) == 4
    assert not {"r5", "r15", "r7"} & {hit["id"] for hit in liked}
    assert all(hit["why"].startswith("Near") for hit in liked)
    assert get("/shelf/recommend", kind="author", name="Ann")["items"]
    get("/shelf/recommend", 400)
    get("/shelf/recommend", 404, kind="author", name="Nobody")


def test_the_map_has_points_names_and_colours(client, get):
    points, plain = _array(client, "points.npy"), _array(client, "plain.npy")
    assert (points.shape, points.dtype, plain.shape) == ((120, 2), np.int16, (120, 2))
    hit = get("/shelf/records", number=7)["items"][0]
    assert (hit["map"]["x"], hit["map"]["y"]) == tuple(points[7])
    names = get("/shelf/map/names")
    assert names["levels"] >= 1
    assert {"sea", "home", "law"} <= {name["text"] for name in names["items"]}
    colours, codes = get("/shelf/map/colours", by="label"), _array(client, "colours.npy", by="label")
    assert {group["label"] for group in colours["groups"]} == {"sea", "home", "law"}
    for group in colours["groups"]:
        assert int((codes == group["code"]).sum()) == group["records"]
    under = _array(client, "colours.npy", by="label", under="sea")
    assert set(np.flatnonzero(under)) == {
        n for n, record in enumerate(served_records()) if {"whales", "ships"} & set(record.labels)
    }
    get("/shelf/map/colours", 400, by="no such field")


def test_what_the_reader_has_is_not_sent_again(client):
    for path in ("info", "labels", "map/points.npy", "map/names", "map/colours", "map/rows?label=cats", "concepts"):
        first = client.get(f"/api/v1/shelf/{path}")
        again = client.get(f"/api/v1/shelf/{path}", headers={"If-None-Match": first.headers["etag"]})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
        other = client.get(f"/api/v1/shelf/{path}", headers={"If-None-Match": '"another"'})
        assert other.status_code == 200


def test_long_answers_are_compressed(client):
    with client.stream("GET", "/api/v1/shelf/search", headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert b'"items"' in gzip.decompress(raw)
    plain = client.get("/api/v1/shelf/search", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers


def test_markup_in_records_stays_text(client):
    answer = client.get("/api/v1/shelf/records/" + _quoted(SCRIPT))
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert SCRIPT in answer.json()["text"]


def _is_of(record, author: str, year: int) -> bool:
    return author in record.links["author"] and record.fields["year"] == year


def _quoted(id: str) -> str:
    from urllib.parse import quote

    return quote(id, safe="")

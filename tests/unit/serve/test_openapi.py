"""What /openapi.json says is true: every status, type and shape of an answer is documented, and none is a 5xx."""

from __future__ import annotations

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from served import TOKEN, build_served

from tacit.serve.app import create_app

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
    unsupported_method,
]  # fmt: skip
HEADERS = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}"}
PROTOCOLS = ("/v1", "/reconcile", "/mcp")  # whose programs describe them


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return create_app([build_served(tmp_path_factory.mktemp("described") / "shelf.tacit")], token=TOKEN)


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
def test_every_answer_is_as_described(app):
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HEADERS).include(path_regex="^/api/v1")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 23
    for operation in operations:

        @settings(
            max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
        )
        @given(case=operation.as_strategy())
        def ask(case):
            case.call_and_validate(checks=CHECKS, headers=HEADERS)

        ask()


def test_the_description_names_the_indexes_and_the_problems(app):
    with TestClient(app, base_url="http://localhost") as client:
        paths = client.get("/openapi.json").json()["paths"]
    ours = {path: operations for path, operations in paths.items() if not path.startswith(PROTOCOLS)}
    assert len(ours) >= 18
    for path, operations in ours.items():
        for operation in operations.values():
            assert {"400", "404", "422", "500", "503"} <= set(operation["responses"]), path
            assert operation["description"], path
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "index":
                    assert parameter["schema"]["enum"] == ["shelf"]


def test_a_method_that_is_not_known_is_told_those_that_are(app):
    with TestClient(app, base_url="http://localhost") as client:
        for path, methods in (("records", "GET, POST, PUT"), ("explain", "GET, POST"), ("records/r5", "DELETE, GET")):
            answer = client.request("PATCH", f"/api/v1/shelf/{path}")
            assert (answer.status_code, answer.headers["allow"]) == (405, methods)

#!/usr/bin/env python3
"""schema_test.py SOURCE: the JSON Schema of model files accepts every model, knows every key, describes every key, and
refuses mistakes."""

import json
import pathlib
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2, as Kane and editors read it: `on`, `off`, `yes` and `no` are words."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if tag != "tag:yaml.org,2002:bool"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|True|false|False)$"), list("tTfF"))

ARM = """
bodies: {A: {mass: 2 kg, com: [1, 0, 0]}}
joints: {J: {type: revolute, parent: N, child: A, coordinate: q1}}
"""

MISTAKES = [
    "boddies: {}",
    "kane: 2",
    "name: [a]",
    "bodies: [A]",
    "bodies: {A: {maas: 1}}",
    "bodies: {A: {mass: [1]}}",
    "bodies: {A: {com: [1, 2]}}",
    "bodies: {A: {shape: {bx: [1, 1, 1]}}}",
    "bodies: {A: {inertia: [1, 2]}}",
    "joints: {J: {type: hinge, parent: N, child: A}}",
    "joints: {J: {type: revolute, child: A}}",
    "joints: {J: {type: revolute, parent: N, child: A, axs: z}}",
    "joints: {J: {type: revolute, parent: N, child: A, axis: [1, 2]}}",
    "joints: {J: {type: revolute, parent: N, child: A, close: maybe}}",
    "particles: {P: {mass: 1}}",
    "frames: {F: {on: A, orientation: {quat: [0, 0, 0, 1]}}}",
    "loads: [{frce: 1, at: A}]",
    "loads: 5",
    "constraints: {c: {motoin: u1}}",
    "constraints: {c: {gear: [q1], ratio: 2}}",
    "simulate: {untl: 10}",
    "dh: {arm: {convention: craig, rows: []}}",
    "repeat: {to: 3, simulate: {}}",
    "repeat: {from: 1}",
    "tables: {f: {x: 1}}",
    "include: {a: 1}",
    "outputs: [1]",
]


def keys_of_properties(node):
    """All (path, key, schema) of the schema's properties."""
    if isinstance(node, dict):
        properties = node.get("properties")
        if isinstance(properties, dict):
            for key, value in properties.items():
                yield key, value
        for value in node.values():
            yield from keys_of_properties(value)
    elif isinstance(node, list):
        for value in node:
            yield from keys_of_properties(value)


def main():
    source = pathlib.Path(sys.argv[1])
    schema = json.loads((source / "schema" / "kane.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    problems = []

    def complaints(text):
        return [error.message for error in validator.iter_errors(yaml.load(text, Loader))]

    models = sorted((source / "models").glob("*.yaml"))
    assert len(models) > 20
    for model in models:
        problems += [f"{model.name}: {message}" for message in complaints(model.read_text())]
    problems += [f"a valid model: {message}" for message in complaints(ARM)]
    problems += [f"this mistake passes: {text}" for text in MISTAKES if not complaints(text)]

    keys = dict(keys_of_properties(schema))
    for row in re.findall(r"inline constexpr std::string_view k\w+\[\] = \{(.*?)\};",
                          (source / "kane" / "formats" / "yaml" / "yaml_keys.hpp").read_text(), re.DOTALL):
        problems += [f"the schema does not know the key '{key}'" for key in re.findall(r'"(\w+)"', row)
                     if key not in keys]
    for key, value in keys_of_properties(schema):
        if not isinstance(value, dict):
            continue
        target = schema["definitions"][value["$ref"].split("/")[-1]] if "$ref" in value else {}
        if "description" not in value and "description" not in target:
            problems.append(f"the key '{key}' has no description")
    print("\n".join(problems) if problems else f"{len(models)} models, {len(MISTAKES)} mistakes, {len(keys)} keys")
    sys.exit(1 if problems else 0)


main()

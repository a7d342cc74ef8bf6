#!/usr/bin/env python3
"""Checks an FMU against the rules of FMI 2.0.4 and 3.0 that can be checked without running it.

usage: validate_fmu.py FILE.fmu...
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

CHILDREN = {
    2: ["ModelExchange", "CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment",
        "VendorAnnotations", "ModelVariables", "ModelStructure"],
    3: ["ModelExchange", "CoSimulation", "ScheduledExecution", "UnitDefinitions", "TypeDefinitions", "LogCategories",
        "DefaultExperiment", "ModelVariables", "ModelStructure", "Annotations"],
}
COMMON_3 = {"modelIdentifier", "needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess", "canGetAndSetFMUState",
            "canSerializeFMUState", "providesDirectionalDerivatives", "providesAdjointDerivatives",
            "providesPerElementDependencies"}
COMMON_2 = {"modelIdentifier", "needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess",
            "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate", "canSerializeFMUstate",
            "providesDirectionalDerivative"}
ATTRIBUTES = {
    (2, "ModelExchange"): COMMON_2 | {"completedIntegratorStepNotNeeded"},
    (2, "CoSimulation"): COMMON_2 | {"canHandleVariableCommunicationStepSize", "canInterpolateInputs",
                                     "maxOutputDerivativeOrder", "canRunAsynchronuously"},
    (3, "ModelExchange"): COMMON_3 | {"needsCompletedIntegratorStep", "providesEvaluateDiscreteStates"},
    (3, "CoSimulation"): COMMON_3 | {"canHandleVariableCommunicationStepSize", "fixedInternalStepSize",
                                     "maxOutputDerivativeOrder", "recommendedIntermediateInputSmoothness",
                                     "providesIntermediateUpdate", "mightReturnEarlyFromDoStep",
                                     "canReturnEarlyAfterIntermediateUpdate", "hasEventMode",
                                     "providesEvaluateDiscreteStates"},
}
ROOT = {2: {"fmiVersion", "modelName", "guid", "description", "author", "version", "copyright", "license",
            "generationTool", "generationDateAndTime", "variableNamingConvention", "numberOfEventIndicators"},
        3: {"fmiVersion", "modelName", "instantiationToken", "description", "author", "version", "copyright", "license",
            "generationTool", "generationDateAndTime", "variableNamingConvention"}}
REAL = {"declaredType", "quantity", "unit", "displayUnit", "relativeQuantity", "unbounded", "min", "max", "nominal",
        "start", "derivative", "reinit"}
VARIABLE = {"name", "valueReference", "description", "causality", "variability", "initial",
            "canHandleMultipleSetPerTimeInstant"}
# (causality, variability) -> allowed values of initial; None: no attribute
INITIAL = {}
for v in ("tunable", "fixed"):
    INITIAL["parameter", v] = {"exact"}
    INITIAL["calculatedParameter", v] = {"calculated", "approx"}
for v in ("discrete", "continuous"):
    INITIAL["output", v] = INITIAL["local", v] = {"calculated", "exact", "approx"}
INITIAL["input", "continuous"] = {None}
INITIAL["independent", "continuous"] = {None}
STRUCTURED = re.compile(r"^(?:der\()?[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*\)?$")


class Description:
    """What the tests need of a model description."""

    def __init__(self, root):
        self.version = int(root.get("fmiVersion")[0])
        self.token = root.get("guid") or root.get("instantiationToken")
        self.variables = []
        for element in root.find("ModelVariables"):
            real = element.find("Real") if self.version == 2 else element
            attributes = dict(element.attrib)
            if real is not element:
                attributes.update(real.attrib)
            self.variables.append(attributes)
        self.by_name = {v["name"]: int(v["valueReference"]) for v in self.variables}
        self.structure = root.find("ModelStructure")
        self.identifier = next(root.find(k).get("modelIdentifier") for k in ("ModelExchange", "CoSimulation")
                               if root.find(k) is not None)
        self.indicators = (int(root.get("numberOfEventIndicators", 0)) if self.version == 2
                           else len(self.structure.findall("EventIndicator")))

    def vrs(self, **wanted):
        return [int(v["valueReference"]) for v in self.variables
                if all(v.get(key) == value for key, value in wanted.items())]

    def unknowns(self, kind):
        """(value reference, set of value references) of Output, ContinuousStateDerivative or InitialUnknown."""
        if self.version == 3:
            return [(int(u.get("valueReference")), {int(d) for d in u.get("dependencies", "").split()})
                    for u in self.structure.findall(kind)]
        group = {"Output": "Outputs", "ContinuousStateDerivative": "Derivatives", "InitialUnknown": "InitialUnknowns"}[kind]
        found = self.structure.find(group)
        vr = [int(v["valueReference"]) for v in self.variables]
        return [] if found is None else [(vr[int(u.get("index")) - 1], {vr[int(d) - 1] for d in u.get("dependencies").split()})
                                         for u in found]

    def states(self):
        n = 1 if self.version == 2 else 0
        vr = [int(v["valueReference"]) for v in self.variables]
        return [vr[int(v["derivative"]) - 1] if n else int(v["derivative"]) for v in self.variables if "derivative" in v]


def read(file):
    with zipfile.ZipFile(file) as archive:
        return Description(ElementTree.fromstring(archive.read("modelDescription.xml")))


class Validator:
    def __init__(self, file):
        self.faults = []
        with zipfile.ZipFile(file) as archive:
            self.names = archive.namelist()
            for info in archive.infolist():
                self.check(info.compress_type in (0, 8), f"{info.filename}: method {info.compress_type}")
                self.check("\\" not in info.filename and not info.filename.startswith(("./", "/")), info.filename)
                self.check(info.extract_version <= 20, f"{info.filename}: needs ZIP {info.extract_version}")
            text = archive.read("modelDescription.xml").decode("utf-8")
            build = "sources/buildDescription.xml"
            self.build = ElementTree.fromstring(archive.read(build)) if build in self.names else None
        self.check(text.startswith('<?xml version="1.0" encoding="UTF-8"?>'), "XML declaration")
        self.root = ElementTree.fromstring(text)
        self.d = Description(self.root)

    def check(self, condition, what):
        if not condition:
            self.faults.append(what)

    def run(self):
        self.check_root()
        self.check_units()
        self.check_variables()
        self.check_structure()
        self.check_implementation()
        return self.faults

    def check_root(self):
        version = self.d.version
        self.check(self.root.tag == "fmiModelDescription", "root element")
        self.check(set(self.root.attrib) <= ROOT[version], f"root attributes {set(self.root.attrib) - ROOT[version]}")
        self.check(self.root.get("fmiVersion") == f"{version}.0", "fmiVersion")
        for name in ("modelName", "guid" if version == 2 else "instantiationToken"):
            self.check(self.root.get(name), f"{name} is missing")
        order = [c.tag for c in self.root]
        self.check(all(t in CHILDREN[version] for t in order), f"children {order}")
        self.check(order == sorted(order, key=CHILDREN[version].index), f"order of children {order}")
        self.check("ModelVariables" in order and "ModelStructure" in order, "required children")
        for child in self.root:
            self.check(len(child) > 0 or child.tag in ("ModelExchange", "CoSimulation", "DefaultExperiment"),
                       f"{child.tag} is empty")
            allowed = ATTRIBUTES.get((version, child.tag))
            if allowed:
                self.check(set(child.attrib) <= allowed, f"{child.tag}: {set(child.attrib) - allowed}")
                self.check(re.fullmatch(r"[A-Za-z_]\w*", child.get("modelIdentifier", "")), "modelIdentifier")

    def check_units(self):
        units = self.root.find("UnitDefinitions")
        self.units = {u.get("name") for u in units} if units is not None else set()
        self.check(units is None or len(self.units) == len(units), "unit names are unique")
        for unit in units if units is not None else []:
            base = unit.find("BaseUnit")
            self.check(base is not None, f"unit {unit.get('name')} has no base")
            allowed = {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"}
            self.check(set(base.attrib) <= allowed, f"unit {unit.get('name')}")
        self.types = {}
        for kind in self.root.find("TypeDefinitions") or []:
            attributes = kind.find("Real").attrib if self.d.version == 2 else kind.attrib
            self.types[kind.get("name")] = attributes.get("unit")
            self.check(attributes.get("unit") in self.units, f"type {kind.get('name')}: unit")

    def check_variables(self):
        names = [v["name"] for v in self.d.variables]
        references = [v["valueReference"] for v in self.d.variables]
        self.check(len(set(names)) == len(names), "names are unique")
        self.check(len(set(references)) == len(references), "value references are unique")
        independents = [v for v in self.d.variables if v["causality"] == "independent"]
        self.check(len(independents) == 1, "exactly one independent variable")
        structured = self.root.get("variableNamingConvention") == "structured"
        for v in self.d.variables:
            name = v["name"]
            allowed = VARIABLE | REAL | ({"intermediateUpdate"} if self.d.version == 3 else set())
            self.check(set(v) <= allowed, f"{name}: {set(v) - allowed}")
            self.check(name and not re.search(r"[\r\n\t]", name), f"name {name!r}")
            self.check(not structured or STRUCTURED.match(name), f"{name} is not a structured name")
            key = v["causality"], v["variability"]
            self.check(key in INITIAL, f"{name}: {key}")
            self.check(v.get("initial") in INITIAL.get(key, set()), f"{name}: initial {v.get('initial')}")
            needs = v["causality"] in ("input", "parameter") or v.get("initial") in ("exact", "approx")
            self.check(("start" in v) == needs, f"{name}: start")
            if "start" in v:
                self.check(re.fullmatch(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", v["start"]), f"{name}: start {v['start']}")
            self.check("unit" not in v or v["unit"] in self.units, f"{name}: unit")
            if "declaredType" in v:
                self.check(v["declaredType"] in self.types, f"{name}: type")
                self.check(v["declaredType"] not in names, f"{name}: type has the name of a variable")
                self.check(self.types.get(v["declaredType"]) == v.get("unit"), f"{name}: unit of its type")
            self.check("intermediateUpdate" not in v or self.root.find("CoSimulation") is not None, f"{name}: intermediateUpdate")
            self.check("reinit" not in v or int(v["valueReference"]) in self.d.states(), f"{name}: reinit")

    def check_structure(self):
        d = self.d
        vrs = {int(v["valueReference"]): v for v in d.variables}
        outputs, rates, initial = (d.unknowns(k) for k in ("Output", "ContinuousStateDerivative", "InitialUnknown"))
        self.check([u for u, _ in outputs] == d.vrs(causality="output"), "Outputs")
        derivatives = [int(v["valueReference"]) for v in d.variables if "derivative" in v]
        self.check([u for u, _ in rates] == derivatives, "Derivatives")
        states = d.states()
        for s in states:
            self.check(vrs[s]["causality"] in ("local", "output") and vrs[s]["variability"] == "continuous", "states")
        wanted = [vr for vr, v in vrs.items()
                  if (v["causality"] == "output" and v.get("initial") in ("calculated", "approx"))
                  or v["causality"] == "calculatedParameter"
                  or ((vr in states or vr in derivatives) and v.get("initial") in ("calculated", "approx"))]
        self.check([u for u, _ in initial] == sorted(wanted), "InitialUnknowns")
        running = set(states) | set(d.vrs(causality="input")) | set(d.vrs(causality="independent"))
        if d.version == 3:
            running |= set(d.vrs(causality="parameter"))
        begin = set(d.vrs(causality="input")) | set(d.vrs(causality="independent")) | {
            vr for vr, v in vrs.items() if v.get("initial") == "exact"}
        for unknown, on in outputs + rates:
            self.check(on <= running, f"{unknown} depends on {on - running}")
        for unknown, on in initial:
            self.check(on <= begin, f"initially {unknown} depends on {on - begin}")
        if d.version == 3:
            order = [c.tag for c in d.structure]
            kinds = ["Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator"]
            self.check(order == sorted(order, key=kinds.index), "order of ModelStructure")
            elements = list(d.structure)
        else:
            order = [c.tag for c in d.structure]
            kinds = ["Outputs", "Derivatives", "InitialUnknowns"]
            self.check(order == sorted(order, key=kinds.index) and all(len(c) for c in d.structure), "ModelStructure")
            elements = [u for c in d.structure for u in c]
        for u in elements:
            on = [int(i) for i in u.get("dependencies").split()]
            self.check(on == sorted(set(on)), "dependencies ascend")
            kind = u.get("dependenciesKind")
            if kind is not None:
                self.check(len(kind.split()) == len(on), "dependenciesKind has as many entries")
                self.check(set(kind.split()) <= {"dependent", "constant", "fixed", "tunable", "discrete"}, kind)

    def check_implementation(self):
        platform = "linux64" if self.d.version == 2 else "x86_64-linux"
        library = f"binaries/{platform}/{self.d.identifier}.so" in self.names
        sources = any(n.startswith("sources/") and n.endswith(".c") for n in self.names)
        self.check(library or sources, "there is no implementation")
        if sources and self.d.version == 3:
            self.check("sources/buildDescription.xml" in self.names, "buildDescription.xml")
            for library in self.build.iter("Library") if self.build is not None else []:
                self.check(library.get("external") == "true", f"library {library.get('name')} is not in the archive")
        if sources and self.d.version == 2:
            listed = [f.get("name") for f in self.root.iter("File")]
            self.check(listed and all("sources/" + f in self.names for f in listed), "SourceFiles")


def validate(file):
    return Validator(file).run()


if __name__ == "__main__":
    bad = 0
    for path in sys.argv[1:]:
        for fault in validate(path):
            print(f"{path}: {fault}")
            bad = 1
    sys.exit(bad)

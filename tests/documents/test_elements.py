"""Each document has the elements that it has in botocore's model of the public service."""

from __future__ import annotations

import pkgutil
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from typing import get_args, get_type_hints

import pytest

import fakestore
from tests.support.operations import service_model

MODEL = service_model()
OPERATIONS = {
    name: operation for name in MODEL.operation_names if not (operation := MODEL.operation_model(name)).deprecated
}
#: The replies whose root element has another name than their shape in the model, except the replies of settings.
REPLIES = {
    "CompleteMultipartUploadResult": ["CompleteMultipartUploadOutput"],
    "DeleteResult": ["DeleteObjectsOutput"],
    "GetObjectAttributesResponse": ["GetObjectAttributesOutput"],
    "InitiateMultipartUploadResult": ["CreateMultipartUploadOutput"],
    "ListAllMyBucketsResult": ["ListBucketsOutput"],
    "ListBucketAnalyticsConfigurationResult": ["ListBucketAnalyticsConfigurationsOutput"],
    "ListBucketIntelligentTieringConfigurationsOutput": ["ListBucketIntelligentTieringConfigurationsOutput"],
    "ListBucketResult": ["ListObjectsOutput", "ListObjectsV2Output"],
    "ListInventoryConfigurationsResult": ["ListBucketInventoryConfigurationsOutput"],
    "ListMetricsConfigurationsResult": ["ListBucketMetricsConfigurationsOutput"],
    "ListMultipartUploadsResult": ["ListMultipartUploadsOutput"],
    "ListPartsResult": ["ListPartsOutput"],
    "ListVersionsResult": ["ListObjectVersionsOutput"],
    "LocationConstraint": ["GetBucketLocationOutput"],
}
#: Elements of the model that no shape declares, with the reason. A name without a path is left out of every document.
LEFT_OUT = {
    "ListMultipartUploadsResult/Upload/VersionId": "no recorded fact has it, so the reply does not contain it",
    "LocationConstraint/LocationConstraint": "the region is the text of the root element, which botocore reads itself",
}
#: Declared elements and documents that the model does not have, with the reason.
NOT_IN_THE_MODEL = {"PostResponse": "boto3 makes the fields of a form, but does not send it"}


def declared_documents():
    """Return the shapes of the documents, by the name of their root element."""
    documents = defaultdict(set)
    for found in pkgutil.walk_packages(fakestore.__path__, "fakestore."):
        if not found.name.endswith("__main__"):
            for value in vars(import_module(found.name)).values():
                if isinstance(value, type) and hasattr(value, "__shape__") and value.__shape__.root:
                    documents[value.__shape__.root].add(value)
    return documents


def declared_elements(shape):
    """Return the path of each element below the shape. Below an element that is declared as unsupported is a star."""
    hints, paths = get_type_hints(shape), {f"{tag}/*" for tag in shape.__shape__.unsupported}
    for name, field in shape.__shape__.fields.items():
        kinds = members_of(hints[name]) if field.kind is None else [field.kind]
        inner = [each for each in kinds if hasattr(each, "__shape__")]
        for number, tag in enumerate(field.tags):
            # Several names stand for the members of a union in turn; one name stands for all of them.
            contents = [inner[number]] if len(field.tags) > 1 else inner
            above = f"{field.inside}/" if field.inside else ""
            paths |= {above[:-1] or tag, above + tag}
            paths |= {f"{above}{tag}/{path}" for content in contents for path in declared_elements(content)}
    return paths


def members_of(hint):
    """Return the classes in an annotation such as ``tuple[Tag, ...] | None``."""
    return [member for argument in get_args(hint) for member in members_of(argument)] or [hint]


def modelled_documents(root):
    """Return the shapes of the model for requests and replies whose root element has the name.

    A setting that is put and read back has one shape here. The model can have another one for the reply.
    """
    names = set(REPLIES.get(root, ()))
    for name, operation in OPERATIONS.items():
        payloads = [payload_of(shape) for shape in (operation.input_shape, operation.output_shape)]
        found = {each.name for each in payloads if each and root in (each.name, each.serialization.get("name"))}
        names |= found
        reading = OPERATIONS.get(re.sub("^Put", "Get", name))
        if found and reading is not operation and reading and payload_of(reading.output_shape) is None:
            names.add(reading.output_shape.name)
    return [MODEL.shape_for(name) for name in sorted(names)]


def payload_of(shape):
    """Return the shape of the body of a request or reply, or None if the model names none."""
    name = shape and shape.serialization.get("payload")
    return shape.members[name] if name else None


def modelled_elements(shape):
    """Return the path of each element below the shape of the model."""
    paths = set()
    for name, member in shape.members.items():
        if {"location", "xmlAttribute"} & member.serialization.keys():
            continue
        path, content = member.serialization.get("name", name), member
        if member.type_name == "list":
            content = member.member
            if not member.serialization.get("flattened"):
                paths.add(path)
                path = f"{path}/{content.serialization.get('name', 'member')}"
        paths.add(path)
        if content.type_name == "structure":
            paths |= {f"{path}/{below}" for below in modelled_elements(content)}
    return paths


def most_similar(paths, others):
    return min(others, key=lambda other: len(paths ^ other))


@cache
def differences():
    """Return the elements that only the model has, and those that only the declared shapes have."""
    only_modelled, only_declared = set(), set()
    for root, shapes in declared_documents().items():
        declared = [declared_elements(shape) for shape in shapes]
        modelled = [modelled_elements(shape) for shape in modelled_documents(root)]
        if not modelled:
            only_declared.add(root)
        for in_model in modelled:
            # Several shapes may have one root element, for example those of the two versions of a listing.
            similar = [paths for paths in declared if most_similar(paths, modelled) is in_model]
            in_shape = set().union(*similar) or most_similar(in_model, declared)
            unsupported = tuple(path.removesuffix("*") for path in in_shape if path.endswith("*"))
            missing = {path for path in in_model - in_shape if not f"{path}/".startswith(unsupported)}
            # What is below a missing element is missing with it.
            only_modelled |= {f"{root}/{path}" for path in missing if path.rpartition("/")[0] not in missing}
            only_declared |= {f"{root}/{path}" for path in in_shape - in_model if not path.endswith("*")}
    return only_modelled, only_declared


def test_every_element_of_the_model_is_declared_or_left_out_for_a_reason():
    names = [(path, path.rpartition("/")[2]) for path in differences()[0]]
    undeclared = {name if name in LEFT_OUT else path for path, name in names}
    assert undeclared <= set(LEFT_OUT)  # an older botocore has fewer elements


@pytest.mark.skipif(
    "SHA512" not in MODEL.shape_for("ChecksumAlgorithm").enum, reason="botocore is older than the store"
)
def test_every_declared_element_is_in_the_model_or_listed_with_a_reason():
    assert differences()[1] == set(NOT_IN_THE_MODEL)

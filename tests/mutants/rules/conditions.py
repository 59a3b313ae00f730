"""Which side of a condition fails, and what a copy takes. The machine `conditions` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import COPY, OBJECT, PRECONDITIONS, PUT_HEADERS, Rule

METADATA = "fakestore/operations/metadata.py"
COPY_SOURCE = "fakestore/operations/copy_source.py"
EXECUTION = "fakestore/operations/framework/pipeline.py"
#: The statement of a copy that stores the new object, and what an edit puts at its front.
_COPY_IS_STORED = "    version = bucket.put(call.key, new, owner=call.owner, now=call.now)"
_IMPORT = "    from fakestore.model.acl import GrantList\n\n"

RULES = [
    # -- which side of a condition fails
    Rule(
        "if-match fails if the entity tag differs",
        PRECONDITIONS,
        "if not matches_entity_tag(self.match, version.etag):",
        "if matches_entity_tag(self.match, version.etag):",
    ),
    Rule(
        "if-none-match fails if the entity tag is the same",
        PRECONDITIONS,
        "if self.none_match is not None and matches_entity_tag(",
        "if self.none_match is not None and not matches_entity_tag(",
    ),
    Rule(
        "if-modified-since fails if the object was modified before or at the date",
        PRECONDITIONS,
        "modified <= self.modified_since",
        "modified > self.modified_since",
    ),
    Rule(
        "if-modified-since fails also at the very second of the modification",
        PRECONDITIONS,
        "modified <= self.modified_since",
        "modified < self.modified_since",
    ),
    Rule(
        "if-unmodified-since fails if the object was modified after the date",
        PRECONDITIONS,
        "modified > self.unmodified_since",
        "modified <= self.unmodified_since",
    ),
    Rule(
        "if-unmodified-since holds at the very second of the modification",
        PRECONDITIONS,
        "modified > self.unmodified_since",
        "modified >= self.unmodified_since",
    ),
    Rule(
        "a true if-match wins over a false if-unmodified-since",
        PRECONDITIONS,
        "elif self.unmodified_since is not None and",
        "if self.unmodified_since is not None and",
    ),
    Rule(
        "a read ignores if-modified-since beside if-none-match",
        PRECONDITIONS,
        "modified_since is None or none_match is not None else",
        "modified_since is None else",
    ),
    Rule(
        "a read ignores an if-modified-since in the future",
        PRECONDITIONS,
        "if self.modified_since > now and self.future_is_ignored:",
        "if False:",
    ),
    Rule(
        "a copy does not ignore an if-modified-since in the future",
        PRECONDITIONS,
        "if self.modified_since > now and self.future_is_ignored:",
        "if self.modified_since > now:",
    ),
    Rule(
        "a read whose if-none-match fails is 304, not 412",
        OBJECT,
        "if failure is not None and not failure.not_modified:",
        "if failure is not None and failure.not_modified:",
    ),
    Rule("a copy whose condition fails is refused", COPY_SOURCE, "if failure is not None:", "if False:"),
    Rule(
        "a copy looks at if-match of its source",
        COPY_SOURCE,
        'match=headers.get("copy-source-if-match")',
        "match=None",
    ),
    Rule(
        "a copy looks at if-none-match of its source",
        COPY_SOURCE,
        'none_match=headers.get("copy-source-if-none-match")',
        "none_match=None",
    ),
    Rule(
        "a copy looks at if-modified-since of its source",
        COPY_SOURCE,
        ' modified_since=read_header(call, "copy-source-if-modified-since", _parse_date)',
        " modified_since=None",
    ),
    Rule(
        "a copy looks at if-unmodified-since of its source",
        COPY_SOURCE,
        ' unmodified_since=read_header(call, "copy-source-if-unmodified-since", _parse_date)',
        " unmodified_since=None",
    ),
    Rule(
        "a PUT with If-None-Match: * is refused if the object exists",
        PRECONDITIONS,
        "if self.must_be_absent and current is not None:",
        "if self.must_be_absent and current is None:",
    ),
    Rule(
        "a PUT with If-Match is refused if the entity tag differs",
        PRECONDITIONS,
        "if not matches_entity_tag(self.match, current.etag):",
        "if matches_entity_tag(self.match, current.etag):",
    ),
    Rule(
        "a copy ignores an if-modified-since in the future only in some services",
        COPY_SOURCE,
        "future_is_ignored=call.semantics.copy_ignores_future_modified_since",
        "future_is_ignored=False",
    ),
    Rule(
        "a PUT with If-Match is refused if the object does not exist",
        PRECONDITIONS,
        "        if current is None:\n            raise",
        "        if current is None:\n            return\n            raise",
    ),
    Rule(
        "a copy looks at the conditions on its destination",
        EXECUTION,
        "if call.preconditions is not None and call.bucket is not None:",
        "if call.preconditions is not None and call.bucket is not None and call.source is None:",
    ),
    Rule(
        "a DELETE with If-Match is refused if the entity tag differs",
        PRECONDITIONS,
        "if not matches_entity_tag(self.match, entry.etag):\n            raise PRECONDITION_FAILED.error(\n"
        '                explanation=f"the condition',
        "if matches_entity_tag(self.match, entry.etag):\n            raise PRECONDITION_FAILED.error(\n"
        '                explanation=f"the condition',
    ),
    Rule(
        "a DELETE with If-Match is refused if the object does not exist",
        PRECONDITIONS,
        "        if not isinstance(entry, ObjectVersion):\n            raise NO_SUCH_KEY",
        "        if not isinstance(entry, ObjectVersion):\n            return\n            raise NO_SUCH_KEY",
    ),
    Rule(
        "If-Match of a DELETE with a version id is about that version",
        PRECONDITIONS,
        "entry = bucket.find_entry(key, self.version_id)",
        "entry = bucket.find_entry(key, None)",
    ),
    Rule(
        "Expires is a number only in some services",
        METADATA,
        "if text is not None and call.semantics.expires_is_number and",
        "if text is not None and",
    ),
    Rule(
        "encoded words of metadata are decoded only in some services",
        METADATA,
        "    if call.semantics.metadata_is_decoded:",
        "    if True:",
    ),
    # -- what a copy takes from its source
    Rule(
        "a copy takes the metadata of its source unless the directive is REPLACE",
        COPY,
        "headers.new_object(body, copied)",
        "headers.new_object(body)",
    ),
    Rule(
        "a copy with the directive REPLACE takes the metadata of the request",
        PUT_HEADERS,
        "metadata=metadata if self.metadata is None else self.metadata,",
        "metadata=metadata if source is not None or self.metadata is None else self.metadata,",
    ),
    Rule(
        "a copy does not take the ACL of its source",
        COPY,
        _COPY_IS_STORED,
        _IMPORT + "    new = new._replace(acl=headers.acl or GrantList.of(source.acl.grants))\n" + _COPY_IS_STORED,
    ),
    Rule(
        "a copy does not take the storage class of its source",
        COPY,
        _COPY_IS_STORED,
        "    new = new._replace(storage_class=headers.storage_class or source.storage_class)\n" + _COPY_IS_STORED,
    ),
    Rule(
        "a copy of an object onto itself that changes nothing is refused",
        COPY,
        "if onto_itself and not headers.changes_source",
        "if False and not headers.changes_source",
    ),
    Rule(
        "a copy of a version that is named by its id onto itself is made",
        COPY,
        "source.address == (bucket.name, call.key, None)",
        "source.address[:2] == (bucket.name, call.key)",
    ),
    Rule(
        "a copy takes the tags of its source unless the tagging directive is REPLACE",
        PUT_HEADERS,
        "tags=tags if self.tags is None else self.tags,",
        "tags=self.tags or NO_TAGS,",
    ),
    Rule(
        "a copy with the tagging directive REPLACE takes the tags of the request",
        PUT_HEADERS,
        "tags=tags if self.tags is None else self.tags,",
        "tags=tags if source is not None or self.tags is None else self.tags,",
    ),
    Rule(
        "tags do not make a copy of an object onto itself a change",
        COPY,
        "return (self.metadata, self.storage_class, self.redirect, self.encryption) != (None, None, None, None)",
        "return (self.metadata, self.storage_class, self.redirect, self.encryption, self.tags) != (None,) * 5",
    ),
]

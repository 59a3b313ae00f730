"""Do the state machines notice when a central rule of the service is inverted?

    python -m tests.trust.inverted_rules [--seeds N] [--only TEXT ...]

Replaces the text of each rule in a copy of the tree. Then it runs the machine of the rule for ten seeds, each with the
budget of `make test`. Fails if fewer than nine of ten seeds notice a rule.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
#: The share of the seeds that must notice a rule.
REQUIRED = 0.9
#: Runs in the copy, and prints how many seeds notice the change.
PROGRAM = """
import sys
import fakestore
from tests.support.profile import load_profile
from tests.trust.machines import run
assert fakestore.__file__.startswith(sys.argv[1]), fakestore.__file__
load_profile()
noticed = 0
for number in range(int(sys.argv[3])):
    try:
        run(sys.argv[2], number=number, shrink=False)
    except Exception:
        noticed += 1
print(noticed)
"""


class Rule(NamedTuple):
    """A rule, and how to invert it: the file of the package, a text that it has once, and the text instead."""

    name: str
    file: str
    old: str
    new: str


#: The rules that each machine must notice.
RULES = {
    "versions": [
        Rule(
            "a simple DELETE in an enabled bucket removes the null version",
            "model/bucket.py",
            "removes_null = self._semantics.delete_removes_null_version and",
            "removes_null = not self._semantics.delete_removes_null_version and",
        ),
        Rule(
            "a simple DELETE in a suspended bucket replaces the null version with a null marker",
            "model/bucket.py",
            "self._ids.issue() if needs_own_id else self.versioning.next_id(self._ids.issue)",
            "self._ids.issue()",
        ),
        Rule(
            "a PUT in a suspended bucket replaces the null version and goes on top",
            "model/keys.py",
            "replaced = history.append(entry)",
            "replaced = (history.append if history.get(entry.version_id) is None else history.replace)(entry)",
        ),
        Rule(
            "a PUT gets the id null unless versioning is enabled",
            "model/versioning.py",
            "issue() if self is Versioning.ENABLED else NULL",
            "issue() if self is not Versioning.NEVER else NULL",
        ),
        Rule(
            "a version id names that version, not the current one",
            "model/bucket.py",
            "return None if history is None else history.get(version_id)",
            "return None if history is None else history.latest",
        ),
        Rule(
            "the latest version is the one written last",
            "model/object_version.py",
            "self._entries[next(reversed(self._entries))] if",
            "self._entries[next(iter(self._entries))] if",
        ),
        Rule(
            "MFA Delete refuses to delete a version without the device's code",
            "operations/deletion.py",
            "if bucket.mfa_delete:  # before",
            "if False:  # before",
        ),
    ],
    "access": [
        Rule(
            "to read an object needs READ on the object, not on the bucket",
            "operations/framework/access.py",
            'READ_OBJECT = Access("s3:GetObject", OBJECT_READ,',
            'READ_OBJECT = Access("s3:GetObject", BUCKET_READ,',
        ),
        Rule(
            "to write needs WRITE on the bucket",
            "operations/framework/access.py",
            "BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE)",
            "BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.READ)",
        ),
        Rule(
            "WRITE on the bucket does not allow to delete a version",
            "operations/framework/access.py",
            'Access("s3:DeleteObjectVersion", OWNER_WITHOUT_POLICY)',
            'Access("s3:DeleteObjectVersion", BUCKET_WRITE)',
        ),
        Rule(
            "to copy needs READ on the source",
            "operations/copy_source.py",
            "        self.authorize(call, source_bucket, Resource(address.key, address.version_id))\n",
            "",
        ),
        Rule(
            "a grant to a group of accounts holds for every account",
            "model/acl.py",
            "self is Group.ALL_USERS or (self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
            "False",
        ),
        Rule(
            "a grant to an account holds for that account only",
            "model/acl.py",
            "return self.grantee.id == account_of(requester).id",
            "return True",
        ),
        Rule(
            "a grant gives its own permission only",
            "model/acl.py",
            "if self.permission is not permission and self.permission is not Permission.FULL_CONTROL:",
            "if False:",
        ),
        Rule(
            "an object belongs to the account that wrote it",
            "operations/object.py",
            "bucket.put(call.key, headers.new_object(body), writer=call.account,",
            "bucket.put(call.key, headers.new_object(body), writer=bucket.owner,",
        ),
        Rule(
            "a missing object is 404 only for a requester with the permission to list the bucket",
            "operations/framework/access.py",
            "effect is None and not is_granted(attempt.call.requester, Permission.READ, acl)",
            "False",
        ),
        Rule("a Deny wins over an Allow", "model/policy.py", "if Effect.DENY in effects:", "if False:"),
        Rule(
            "a Deny covers the bucket's owner",
            "operations/framework/access.py",
            "    if effect is Effect.DENY:\n",
            "    if effect is Effect.DENY and requester != bucket.owner:\n",
        ),
        Rule(
            "a statement applies only if its conditions hold",
            "model/policy.py",
            "self.is_about(request) and all(each.holds(request.condition_values) for each in self.conditions)",
            "self.is_about(request)",
        ),
        Rule(
            "an anonymous requester is refused unless the service authorizes it",
            "protocol/auth/authenticator.py",
            "if self.anonymous_requests is AnonymousRequests.REFUSED:",
            "if False:",
        ),
    ],
    "conditions": [
        Rule(
            "if-match fails if the entity tag differs",
            "operations/framework/preconditions.py",
            "if not version.etag.matches(self.match):",
            "if version.etag.matches(self.match):",
        ),
        Rule(
            "if-modified-since fails also at the very second of the modification",
            "operations/framework/preconditions.py",
            "modified <= self.modified_since:",
            "modified < self.modified_since:",
        ),
        Rule(
            "a read whose if-none-match fails is 304, not 412",
            "operations/read_parameters.py",
            "and not failure.not_modified:",
            "and failure.not_modified:",
        ),
        Rule(
            "a PUT with If-None-Match: * is refused if the object exists",
            "operations/framework/preconditions.py",
            "if self.none_match is not None and isinstance(",
            "if self.none_match is not None and not isinstance(",
        ),
        Rule(
            "a PUT with If-Match is refused if the entity tag differs",
            "operations/framework/preconditions.py",
            "if self.match is not None:\n            _check_entity_tag(",
            "if False:\n            _check_entity_tag(",
        ),
        Rule(
            "a DELETE with If-Match is refused if the entity tag differs",
            "operations/framework/preconditions.py",
            "if self.match is None:\n            return\n",
            "return\n",
        ),
        Rule(
            "a copy whose condition fails is refused",
            "operations/copy_source.py",
            "        if failure is not None:\n            raise failure.error()\n",
            "",
        ),
        Rule(
            "a copy takes the metadata of its source unless the directive is REPLACE",
            "operations/copy.py",
            "new = headers.new_object(body, copied)",
            "new = headers.new_object(body)",
        ),
        Rule(
            "a copy of an object onto itself that changes nothing is refused",
            "operations/copy.py",
            "if onto_itself and not _changes_source(call) and not encrypts_anew:",
            "if False:",
        ),
    ],
    "lifecycle": [
        Rule(
            "an object expires after the days of the rule, not earlier",
            "model/lifecycle_rule.py",
            "midnight_after(version.last_modified, days or 0)",
            "midnight_after(version.last_modified, (days or 1) - 1)",
        ),
        Rule(
            "days are rounded up to the next midnight",
            "model/lifecycle_rule.py",
            "return midnight if midnight == due else midnight + timedelta(days=1)",
            "return midnight",
        ),
        Rule(
            "an object that expires is deleted as by a simple DELETE",
            "model/bucket.py",
            "changes = [self.delete(key, writer=self.owner, now=action.at)._replace(kind=kind)]",
            "changes = [Change(kind, removed=self._remove(key, self.get_object(key).version_id))]",
        ),
        Rule(
            "a version is noncurrent since the entry above it was written",
            "model/lifecycle_rule.py",
            "return _unlocked_time(entry, midnight_after(newer.last_modified, expiration.days))",
            "return _unlocked_time(entry, midnight_after(entry.last_modified, expiration.days))",
        ),
        Rule(
            "a rule keeps exactly as many newer noncurrent versions as it says",
            "model/lifecycle_rule.py",
            "if newer_count >= (expiration.newer_versions or 0):",
            "if newer_count > (expiration.newer_versions or 0):",
        ),
        Rule(
            "a rule with tags acts on objects that have them",
            "model/lifecycle_rule.py",
            "if any(entry.tags.get(tag.key) != tag.value for tag in self.tags):",
            "if False:",
        ),
    ],
    "uploads": [
        Rule(
            "to complete an upload ends it",
            "model/bucket.py",
            "        self.uploads.end(upload, named)\n",
            "",
        ),
        Rule(
            "a part replaces the part with the same number",
            "model/multipart_upload.py",
            "stop = bisect_right(self.parts, part.number, key=_number)",
            "stop = start",
        ),
        Rule(
            "the content of an object is in the order of its parts",
            "model/multipart_upload.py",
            "join_content(part.content for part in parts)",
            "join_content(part.content for part in reversed(parts))",
        ),
        Rule(
            "parts that are not named are dropped",
            "model/multipart_upload.py",
            "parts = self._named_parts(named)\n",
            "self._named_parts(named)\n        parts = list(self.parts)\n",
        ),
        Rule(
            "a named part was uploaded with this entity tag",
            "model/multipart_upload.py",
            "if part.etag != named.etag:",
            "if False:",
        ),
        Rule(
            "a condition conflicts with a write since the upload began",
            "operations/multipart_upload.py",
            "if bucket.uploads.get(key, self.upload_id).key_was_written:",
            "if False:",
        ),
        Rule(
            "the initiator may abort their upload",
            "operations/multipart_upload.py",
            "if requester == bucket.owner or (upload is not None and requester == upload.initiator):",
            "if requester == bucket.owner:",
        ),
    ],
    "locks": [
        Rule(
            "a locked version is not deleted by its id",
            "operations/deletion.py",
            "if isinstance(entry, ObjectVersion):\n        check_is_unlocked",
            "if False:\n        check_is_unlocked",
        ),
        Rule("a retention ends at its date", "model/object_lock.py", "return now < self.until", "return True"),
        Rule(
            "a bypass does not end the compliance mode",
            "model/object_lock.py",
            "return not (bypasses and retention.mode is RetentionMode.GOVERNANCE)",
            "return not bypasses",
        ),
        Rule(
            "an active retention does not become shorter",
            "model/object_lock.py",
            "new.mode is self.mode and new.until >= self.until",
            "new.mode is self.mode",
        ),
    ],
    "ownership": [
        Rule(
            "disabled ACLs have no effect",
            "model/bucket.py",
            "if self.has_no_acls:\n            return PRIVATE",
            "if False:\n            return PRIVATE",
        ),
        Rule(
            "a restricted bucket is only for its owner",
            "operations/framework/access.py",
            "if bucket.is_restricted and requester != bucket.owner:",
            "if False:",
        ),
        Rule(
            "an object with bucket-owner-full-control belongs to the bucket's owner if that is preferred",
            "model/bucket.py",
            "self.has_no_acls or gives_away else writer",
            "self.has_no_acls else writer",
        ),
    ],
}


def inverted(rule: Rule) -> str:
    """Return the content of the file in which the rule is inverted.

    Raises:
        ValueError: If the file does not have the text exactly once.
    """
    text = (ROOT / "fakestore" / rule.file).read_text()
    if text.count(rule.old) != 1:
        raise ValueError(f"{rule.name}: {rule.file} has this text {text.count(rule.old)} times, not once: {rule.old!r}")
    return text.replace(rule.old, rule.new)


def count_noticed(machine: str, seeds: int, rule: Rule | None = None) -> int:
    """Return how many seeds notice that a rule is inverted, or that none is."""
    with tempfile.TemporaryDirectory(prefix="rules-") as folder:
        tree = Path(folder).resolve()
        for name in ("fakestore", "tests"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        if rule is not None:
            (tree / "fakestore" / rule.file).write_text(inverted(rule))
        command = [sys.executable, "-c", PROGRAM, str(tree), machine, str(seeds)]
        environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
        printed = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return int(printed.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.trust.inverted_rules", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds (default 10)")
    parser.add_argument("--only", nargs="*", default=[""], help="only the rules whose name contains one of these texts")
    options = parser.parse_args()
    rules = [
        (machine, rule)
        for machine, rules in RULES.items()
        for rule in rules
        if any(text in rule.name for text in options.only)
    ]
    missed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(lambda row: count_noticed(row[0], options.seeds, row[1]), rules)
        for (machine, rule), count in zip(rules, counts, strict=True):
            missed += count < REQUIRED * options.seeds
            print(f"{count:2} of {options.seeds}  {machine:10}  {rule.name}", flush=True)
    print(f"{len(rules) - missed} of {len(rules)} rules are noticed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()

"""The client libraries and programs that are tested, each of them behind the same methods.

Every one is used as its own documentation shows. All of them sign, and a store that serves them verifies that.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import awsauth
import boto3
import httpcore  # noqa: F401  (httpx imports it late, and pytester forgets what its runs are first to import)
import httpx
import requests
import tinys3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from minio import Minio
from minio.commonconfig import CopySource
from requests_auth_aws_sigv4 import AWSSigV4
from requests_aws4auth import AWS4Auth

BUCKET = "photos"
REGION = "us-east-1"
NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


class Settings(NamedTuple):
    """What a client must know: credentials, the URL of a server if it needs one, and a directory for its files."""

    access_key_id: str
    secret_key: str
    url: str
    directory: Path


class Client(ABC):
    """Does the same with every library. Methods that fail raise whatever the library raises."""

    #: Whether the client needs a server, because it is not intercepted.
    is_served = False

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._opened = ExitStack()

    def close(self) -> None:
        """Close what the client has opened."""
        self._opened.close()

    @abstractmethod
    def upload(self, key: str, content: bytes) -> str:
        """Store an object, and return its version id."""

    @abstractmethod
    def download(self, key: str, version_id: str | None = None) -> bytes:
        """Return the content of the current version, or of another one."""

    @abstractmethod
    def keys(self) -> list[str]:
        """Return the keys of the bucket."""

    @abstractmethod
    def copy(self, source: str, target: str) -> None:
        """Copy an object."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Delete an object."""


class Boto3Client(Client):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.s3 = boto3.client("s3", **boto3_options(settings))
        self._opened.callback(self.s3.close)

    def upload(self, key: str, content: bytes) -> str:
        return self.s3.put_object(Bucket=BUCKET, Key=key, Body=content)["VersionId"]

    def download(self, key: str, version_id: str | None = None) -> bytes:
        version = {"VersionId": version_id} if version_id else {}
        return self.s3.get_object(Bucket=BUCKET, Key=key, **version)["Body"].read()

    def keys(self) -> list[str]:
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, PaginationConfig={"PageSize": 1})
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def copy(self, source: str, target: str) -> None:
        self.s3.copy_object(Bucket=BUCKET, Key=target, CopySource={"Bucket": BUCKET, "Key": source})

    def delete(self, key: str) -> None:
        self.s3.delete_object(Bucket=BUCKET, Key=key)


class Boto3Resource(Client):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.s3 = boto3.resource("s3", **boto3_options(settings))
        self.bucket = self.s3.Bucket(BUCKET)
        self._opened.callback(self.s3.meta.client.close)

    def upload(self, key: str, content: bytes) -> str:
        return self.bucket.put_object(Key=key, Body=content).version_id

    def download(self, key: str, version_id: str | None = None) -> bytes:
        if version_id is None:
            return self.bucket.Object(key).get()["Body"].read()
        return self.s3.ObjectVersion(BUCKET, key, version_id).get()["Body"].read()

    def keys(self) -> list[str]:
        return [each.key for each in self.bucket.objects.all()]

    def copy(self, source: str, target: str) -> None:
        self.bucket.Object(target).copy_from(CopySource={"Bucket": BUCKET, "Key": source})

    def delete(self, key: str) -> None:
        self.bucket.Object(key).delete()


class TransferManager(Boto3Client):
    """boto3 with files: the transfer manager uploads, downloads and copies in threads."""

    def upload(self, key: str, content: bytes) -> str:
        file = self.settings.directory / "to upload"
        file.write_bytes(content)
        self.s3.upload_file(str(file), BUCKET, key)
        return self.s3.head_object(Bucket=BUCKET, Key=key)["VersionId"]

    def download(self, key: str, version_id: str | None = None) -> bytes:
        file = self.settings.directory / "downloaded"
        arguments = {"VersionId": version_id} if version_id else {}
        self.s3.download_file(BUCKET, key, str(file), ExtraArgs=arguments)
        return file.read_bytes()

    def copy(self, source: str, target: str) -> None:
        self.s3.copy({"Bucket": BUCKET, "Key": source}, BUCKET, target)


class MinioClient(Client):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.minio = Minio(
            "s3.amazonaws.com", access_key=settings.access_key_id, secret_key=settings.secret_key, region=REGION
        )

    def upload(self, key: str, content: bytes) -> str:
        return self.minio.put_object(BUCKET, key, io.BytesIO(content), len(content)).version_id

    def download(self, key: str, version_id: str | None = None) -> bytes:
        response = self.minio.get_object(BUCKET, key, version_id=version_id)
        try:
            return response.read()
        finally:
            response.close()
            response.release_conn()

    def keys(self) -> list[str]:
        return [each.object_name for each in self.minio.list_objects(BUCKET, recursive=True)]

    def copy(self, source: str, target: str) -> None:
        self.minio.copy_object(BUCKET, target, CopySource(BUCKET, source))

    def delete(self, key: str) -> None:
        self.minio.remove_object(BUCKET, key)


class Rest(Client):
    """A library that only sends requests: the test knows the interface of the service."""

    base_url = f"https://{BUCKET}.s3.amazonaws.com"

    @abstractmethod
    def send(self, method: str, url: str, **options: object) -> requests.Response | httpx.Response:
        """Send a request."""

    def _send(self, method: str, key: str, **options: object) -> requests.Response | httpx.Response:
        response = self.send(method, f"{self.base_url}/{key}", **options)
        response.raise_for_status()
        return response

    def upload(self, key: str, content: bytes) -> str:
        return self._send("PUT", key, data=content).headers["x-amz-version-id"]

    def download(self, key: str, version_id: str | None = None) -> bytes:
        return self._send("GET", key, params={"versionId": version_id} if version_id else {}).content

    def keys(self) -> list[str]:
        listing = self._send("GET", "", params={"list-type": "2"})
        return [key.text for key in ElementTree.fromstring(listing.content).iterfind(f".//{NAMESPACE}Key")]

    def copy(self, source: str, target: str) -> None:
        self._send("PUT", target, headers={"x-amz-copy-source": f"/{BUCKET}/{source}"})

    def delete(self, key: str) -> None:
        self._send("DELETE", key)


class WithRequests(Rest):
    def send(self, method: str, url: str, **options: object) -> requests.Response:
        return requests.request(method, url, auth=self.auth(), **options)

    @abstractmethod
    def auth(self) -> requests.auth.AuthBase:
        """Return what signs."""


class RequestsAws4Auth(WithRequests):
    def auth(self) -> requests.auth.AuthBase:
        return AWS4Auth(self.settings.access_key_id, self.settings.secret_key, REGION, "s3")


class RequestsAuthAwsSigv4(WithRequests):
    def auth(self) -> requests.auth.AuthBase:
        return AWSSigV4(
            "s3",
            aws_access_key_id=self.settings.access_key_id,
            aws_secret_access_key=self.settings.secret_key,
            region=REGION,
        )


class RequestsAws(WithRequests):
    def auth(self) -> requests.auth.AuthBase:
        return awsauth.S3Auth(self.settings.access_key_id, self.settings.secret_key)


class Tinys3(Client):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.s3 = tinys3.Connection(settings.access_key_id, settings.secret_key, default_bucket=BUCKET, tls=True)

    def upload(self, key: str, content: bytes) -> str:
        # By default tinys3 grants everyone to read, which a new bucket refuses.
        return self.s3.upload(key, io.BytesIO(content), public=False).headers["x-amz-version-id"]

    def download(self, key: str, version_id: str | None = None) -> bytes:
        # tinys3 has no argument for a version, but it adds a key to the URL as it is.
        return self.s3.get(f"{key}?versionId={version_id}" if version_id else key).content

    def keys(self) -> list[str]:
        return [each["key"] for each in self.s3.list()]

    def copy(self, source: str, target: str) -> None:
        self.s3.copy(source, BUCKET, target, public=False)

    def delete(self, key: str) -> None:
        self.s3.delete(key)


class SignedByBotocore(httpx.Auth):
    """Signs requests of httpx with signature version 4."""

    requires_request_body = True

    def __init__(self, settings: Settings) -> None:
        self._signer = S3SigV4Auth(Credentials(settings.access_key_id, settings.secret_key), "s3", REGION)

    def auth_flow(self, request):
        headers = {name: value for name, value in request.headers.items() if name == "host" or "x-amz-" in name}
        signed = AWSRequest(request.method, str(request.url), headers, request.content)
        self._signer.add_auth(signed)
        request.headers.update(dict(signed.headers))
        yield request


class Httpx(Rest):
    is_served = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.base_url = f"{settings.url}/{BUCKET}"
        self._http = self._opened.enter_context(httpx.Client(auth=SignedByBotocore(settings)))

    def send(self, method: str, url: str, data: bytes | None = None, **options: object) -> httpx.Response:
        return self._http.request(method, url, content=data, **options)


class Program(ABC):
    """A program, started once for each method. It does not retry, which takes seconds."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def run(self, program: str, *arguments: str, **environment: str) -> str:
        """Run a program of this environment, and return what it prints.

        Raises:
            RuntimeError: If it fails. The message is what it printed.
        """
        command = [sys.executable, Path(sys.executable).with_name(program), *arguments]
        finished = subprocess.run(
            command,
            env={**os.environ, "HOME": str(self.settings.directory), **environment},
            capture_output=True,
            text=True,
            timeout=60,
        )
        if finished.returncode != 0:
            raise RuntimeError(f"{program} has failed: {finished.stdout}{finished.stderr}")
        return finished.stdout

    @abstractmethod
    def upload_files(self, directory: Path) -> None:
        """Store every file of a directory under its name."""

    @abstractmethod
    def download_files(self, directory: Path) -> None:
        """Read every object of the bucket into a file of an existing directory."""


class AwsCommandLine(Program):
    """Its other commands are on the page about the command line, where a test runs them."""

    def _copy(self, source: str, target: str) -> None:
        self.run(
            "aws",
            *("--endpoint-url", self.settings.url, "--region", REGION, "s3", "cp", "--recursive", source, target),
            AWS_MAX_ATTEMPTS="1",
            AWS_ACCESS_KEY_ID=self.settings.access_key_id,
            AWS_SECRET_ACCESS_KEY=self.settings.secret_key,
        )

    def upload_files(self, directory: Path) -> None:
        self._copy(str(directory), f"s3://{BUCKET}")

    def download_files(self, directory: Path) -> None:
        self._copy(f"s3://{BUCKET}", str(directory))


class S3cmd(Program):
    def _s3cmd(self, *arguments: str) -> str:
        host = self.settings.url.removeprefix("http://")
        return self.run(
            "s3cmd",
            *("--max-retries", "0", "--no-ssl", "--host", host, "--host-bucket", host, "--region", REGION),
            *("--access_key", self.settings.access_key_id, "--secret_key", self.settings.secret_key),
            *arguments,
        )

    def urls(self) -> list[str]:
        """Return the URLs of the objects in the bucket, as s3cmd shows them."""
        return [line.split()[-1] for line in self._s3cmd("ls", f"s3://{BUCKET}").splitlines()]

    def move(self, source: str, target: str) -> None:
        """Copy an object, then delete it."""
        self._s3cmd("mv", f"s3://{BUCKET}/{source}", f"s3://{BUCKET}/{target}")

    def upload_files(self, directory: Path) -> None:
        self._s3cmd("put", "--recursive", f"{directory}/", f"s3://{BUCKET}")

    def download_files(self, directory: Path) -> None:
        self._s3cmd("get", "--recursive", f"s3://{BUCKET}", f"{directory}/")


def boto3_options(settings: Settings) -> dict[str, str]:
    """Return the configuration of boto3, without the URL of the store."""
    return {
        "region_name": REGION,
        "aws_access_key_id": settings.access_key_id,
        "aws_secret_access_key": settings.secret_key,
    }


#: The libraries, by name.
CLIENTS: dict[str, type[Client]] = {
    "boto3 client": Boto3Client,
    "boto3 resource": Boto3Resource,
    "boto3 transfer manager": TransferManager,
    "minio": MinioClient,
    "requests-aws4auth": RequestsAws4Auth,
    "requests-auth-aws-sigv4": RequestsAuthAwsSigv4,
    "requests-aws": RequestsAws,
    "tinys3": Tinys3,
    "httpx": Httpx,
}
PROGRAMS: dict[str, type[Program]] = {"aws": AwsCommandLine, "s3cmd": S3cmd}

"""Keeps a directory of photos in a bucket of an object storage service.

The modules, in reading order:

- ``signing``: signs a request with an account's secret key;
- ``documents``: reads and writes the service's XML;
- ``client``: one method for each request that the application sends;
- ``backup``: what a user can do: sync, restore, roll back, undelete, share, rename, list and prune;
- ``__main__``: the command line.

They work with any service that has this interface. ``demo`` runs them against a fake one.
"""

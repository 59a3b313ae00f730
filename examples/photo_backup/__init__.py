"""Keeps a directory of photos in a bucket of an object storage service.

Each module does one thing and is read in this order:

- ``signing``: signs a request with an account's secret key;
- ``documents``: reads and writes the service's XML;
- ``client``: one method for each request the application makes;
- ``backup``: what a person wants done: sync, restore, roll back, undelete, share, rename, list, prune;
- ``__main__``: the command line.

None of them knows which service answers. ``demo`` runs them all inside a fake one.
"""

"""The contents of a store and the rules of the service, without HTTP, documents or a clock.

Times and ids are arguments. No module here imports anything that stands above it.
"""

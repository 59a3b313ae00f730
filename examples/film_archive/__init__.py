"""An example application: an archive of large files, with boto3. It knows nothing of fakestore."""

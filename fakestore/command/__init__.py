"""The command line: its options, its output, and the requests that control the server."""

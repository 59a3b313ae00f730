"""XML documents that are declared as shapes."""

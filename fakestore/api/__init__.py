"""What a test's author uses: stores, buckets, options, faults, exchanges, reports."""

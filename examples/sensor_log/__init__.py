"""An example application: a sensor that uploads its readings, with `requests`. It knows nothing of fakestore."""

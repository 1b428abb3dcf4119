"""The one settings file: check out and run; everything else comes from the environment.

There is no database and no page yet, so nothing here names one, and no secret is needed.
"""

TIME_ZONE = "UTC"
USE_TZ = True

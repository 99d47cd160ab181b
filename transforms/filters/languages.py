"""The languages whose leaks and shortcuts the tests prove to be found. A recipe in another language
is refused.

Languages whose names change by case (Russian, Polish, Finnish) are left out, since a search for
whole words misses many forms there.
"""

LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "nl", "pt", "zh")

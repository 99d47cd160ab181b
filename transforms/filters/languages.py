"""The languages for which tests prove that the filters find leaks and shortcuts. A recipe in
another language is refused.

Languages in which names change by grammatical case (Russian, Polish, Finnish) are left out, since a
search for whole words misses many forms of a name.
"""

LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "nl", "pt", "zh")

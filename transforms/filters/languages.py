"""The languages of which tests show that a name is found in a text, so that leaks and shortcuts are. A recipe in another is refused.

Left out are languages whose names change by case (Russian, Polish, Finnish): a whole word says less there than the tests would promise.
"""

LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "nl", "pt", "zh")

"""The only room that opens files: one reader per format.

Every reader is a pure ``parse_...(data, *, file)`` that turns bytes into a plain value and a
``Report``, plus a tiny opener. A reader never raises on bad content: it reports every problem with
file, line, value, rule and way out, and keeps what is faulty out of the value it returns. ``guard``
makes sure of that, ``limits`` says how much of one file is read, ``opening`` what is a file at all.
"""

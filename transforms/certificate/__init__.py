"""The certificate: what is computed and stored to show that a question has one answer and needs its picture.

Reading order: `facts.py` (what is looked up), `execute.py` (a form as a query), `margin.py` (uniqueness that
tolerates gaps), `text_veto.py`, `leak.py`, `evidence.py`, `certify.py` (all of it together).
"""

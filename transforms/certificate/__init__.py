"""The certificate: computed and stored proof that a question has one answer and needs its picture.

Reading order: `transforms/facts/lookups.py` (look-ups), `execute.py` (runs a form as a query),
`margin.py` (uniqueness despite missing facts), `text_veto.py`, `leak.py`, `evidence.py`,
`certify.py` (all checks together).
"""

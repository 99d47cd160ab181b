"""The certificate: a stored proof that a question has one answer and needs its picture.

Code alone computes the certificate.

Reading order: `transforms/facts/lookups.py` (look-ups), `execute.py` (runs a question's logical
form as a query), `margin.py` (one answer even if facts are missing), `text_veto.py`, `leak.py`,
`evidence.py`, `certify.py` (all checks together).
"""

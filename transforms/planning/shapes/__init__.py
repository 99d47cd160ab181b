"""Each file defines one shape of plans. A shape grows complete questions (as queries) from a seed
(the item that a question starts from)."""

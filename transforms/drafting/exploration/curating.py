"""What is not asked of the thing that wins a comparison."""

PLACE_OF = {"P569": "P19", "P570": "P20", "P571": "P740"}
"""Of an event by which two things are compared the place is not asked: "where did the one who died later die?"."""

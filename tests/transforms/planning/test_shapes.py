"""What each shape grows on the coast, against what the coast's own numbering says there is."""



from tests.transforms.planning.coast import (
    ground,
)

AT = ground()

"""An example of your own tool: it tells the policy (the playing agent) the distance between two places.

A recipe adds the tool to the built-in ones like this:

```
teach: {tools: {custom: ["distance:TOOL"]}}
```

A package may give the tool a short name with an entry point of the group `questloom.tools`.
"""

from math import asin, cos, radians, sin, sqrt
from typing import Annotated

from pydantic import Field

from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.turns.tool_output import Output

EARTH_KM = 6371.0
"""The mean radius of the Earth."""
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]


async def distance(
    at: Context,
    latitude: Latitude,
    longitude: Longitude,
    to_latitude: Latitude,
    to_longitude: Longitude,
) -> Output:
    """Gives the distance of two places on the Earth, along its surface.

    Args:
        latitude: Latitude of the first place in degrees; south is negative.
        longitude: Longitude of the first place in degrees; west is negative.
        to_latitude: Latitude of the second place.
        to_longitude: Longitude of the second place.
    """
    one, other = radians(latitude), radians(to_latitude)
    turn = radians(to_longitude - longitude)
    chord = sin((other - one) / 2) ** 2 + cos(one) * cos(other) * sin(turn / 2) ** 2
    return Output(parts=(f"{2 * EARTH_KM * asin(sqrt(chord)):,.1f} km",))


TOOL = Tool(distance, kind="compute")

"""An example of your own tool: it computes the distance between two places.

A recipe adds the tool to the built-in tools like this:

```
teach: {tools: {custom: ["distance:TOOL"]}}
```

The policy (the agent that plays) may call your tool if the policy is a model. The oracle, a program
that plays without a model, does not call your tool. A tool is a function, so you can call it in
Python. This tool uses no context, so the example passes none:

    >>> import asyncio
    >>> asyncio.run(distance(None, 0, 10, 0, 100)).parts
    ('10,007.5 km',)

`questloom chat --by-hand` (see README.md) checks the arguments in the same way as for a model.

A package can give the tool a short name, by an entry point of the group `questloom.tools`.
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

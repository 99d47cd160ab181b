"""A format that the program does not have, in one file: `test_adding_a_format.py` adds it."""

from datasets import Features, Value

from questloom.pipeline.export.formats.format import Format, about_trajectory

COLUMNS = Features({"asks": Value("string"), "source": Value("string")})

FORMAT = Format(
    name="own_format",
    help="Rows of words alone.",
    uses=("sft", "rl"),
    features=lambda tools: COLUMNS,
    row=lambda asked, source, split: {"asks": asked.question.text, "source": f"{source}/{split}"},
    trajectory_features=None,
    trajectory_row=about_trajectory,
    rewarded=True,
    extras=lambda name, folders: {"index.txt": "\n".join([name, *sorted(folders)]).encode()},
    card_folder="`own_format` holds words",
    card_withheld="`nothing` (own)",
    card_rl="own: read `asks`.",
    card_trajectories="own: read lines.",
)

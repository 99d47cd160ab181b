"""Makes the teacher's trajectories: the teacher plays tasks, and good trajectories are selected.
See README.md."""

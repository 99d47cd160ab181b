"""Teacher trajectories: tasks are played, judged, checked and selected. See README.md."""

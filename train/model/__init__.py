"""The model that is trained: loaded, forwarded over packed rows, optimised."""

"""What the roles are told: two layers of memory, their instructions, the questions of the items."""

"""What passes between the stages: leaves, facts, the replies of the roles, pairs, reasons."""

"""What is let through to the next stage: pure functions, one room a stage; they never raise."""

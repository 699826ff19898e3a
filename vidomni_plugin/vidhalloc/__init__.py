"""The VidHalLoc task: prompt, metrics and the hooks that its YAML names."""

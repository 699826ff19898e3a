"""Reading videos: a cache and leaner decoders for the readers that runners of the host use."""

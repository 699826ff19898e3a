"""Get the data of both benchmarks: VidHalLoc from the hub, VidOmni's videos from a manifest."""

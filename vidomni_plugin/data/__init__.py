"""Finding, reading and checking the data of both benchmarks."""

"""The built-in sample: drawn clips and the items about them, in both benchmarks' layouts."""

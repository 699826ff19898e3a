"""Making new benchmark items: captions, annotation, and the judge of informativeness."""

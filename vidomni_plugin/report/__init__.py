"""From the output folders of runs to tables, figures, a page, and comparisons."""

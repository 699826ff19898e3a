"""The report's page: one HTML file that needs no network."""

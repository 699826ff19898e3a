"""A pool of videos to make items from: checked, without duplicates, sampled and looked at."""

"""A tiny Qwen2.5-VL that sees drawn clips: its world, its words and its training."""

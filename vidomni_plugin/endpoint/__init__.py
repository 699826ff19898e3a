"""Ask models behind OpenAI-compatible servers: paced, within a budget, each reply kept on disk."""

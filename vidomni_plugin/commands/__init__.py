"""The subcommands of ``vidomni``, one module each; what they do lives in the other folders."""

"""How model text is read: each module is one step of ``vidomni_plugin.labels``."""

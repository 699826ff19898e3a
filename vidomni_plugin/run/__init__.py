"""`vidomni run` and `vidomni merge`: the command of the host with an honest end."""

-- Reports look for the runs that held anything in a time.
CREATE INDEX run_by_time ON run (freed_at, placed_at);

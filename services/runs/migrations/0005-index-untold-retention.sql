-- The agents that the job of retention looks for: few at a time.
create index concurrently agents_untold on agents (account_id, agent_id) where retention_untold;

-- A process that hands on its journal may take longer than one that is silent is waited for: it says that it runs.
alter table journal_node add column seen_at timestamptz not null default clock_timestamp();  -- when it last said anything here

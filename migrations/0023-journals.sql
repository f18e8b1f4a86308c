-- Processes that keep hits on their disk, unsubscribes while the database is away: when each said that it kept none of these.
create table journal_node (
  id uuid primary key,                    -- of the process
  folder_id uuid not null,                -- of the folder on its machine: processes of one folder hand on each other's
  pid int not null,
  clear_at timestamptz not null,          -- by the clock of the database
  hits_until timestamptz,                 -- later hits of it may not be in the database yet; null: the latest alone
  told_at timestamptz                     -- when it said so
);
grant select, insert, update, delete on journal_node to posthorn_system;

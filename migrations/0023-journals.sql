-- Processes that keep unsubscribes on their disk while the database is away, and when each said that it kept none.
create table journal_node (
  id uuid primary key,                    -- of the process
  folder_id uuid not null,                -- of the folder on its machine: processes of one folder hand on each other's
  pid int not null,
  clear_at timestamptz not null           -- by the clock of the database
);
grant select, insert, update, delete on journal_node to posthorn_system;

-- What came to our return paths: each report once, raw, until it has been read. Which account it is about is told by the
-- signed local part alone, so nothing here belongs to an account before that, and no account reads here.
create table inbound_report (
  id uuid primary key,
  hash bytea not null unique,             -- SHA-256 of what it came to and of the message without its trace fields
  kind text not null check (kind in ('return_path', 'feedback', 'operator', 'api')),
  local_part text not null,
  received_at timestamptz not null,
  raw bytea,                              -- null once it has been read
  state smallint not null default 0,      -- 0 waiting, 1 done, 2 quarantined
  tries smallint not null default 0,
  free_at timestamptz not null,           -- a reader holds it until then
  outcome text
);
alter table inbound_report alter column raw set storage external;
create index inbound_report_waiting on inbound_report (free_at, id) where state = 0;
create index inbound_report_received on inbound_report (received_at);
grant select, insert, update, delete on inbound_report to posthorn_system;

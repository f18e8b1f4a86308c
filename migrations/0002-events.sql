-- The append-only log: one row per fact, written in the transaction of the fact. Followers read it in the order
-- (xid, seq) below the oldest transaction still open, so nothing is skipped and nothing counted twice.

create table event (
  xid xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  at timestamptz not null,
  event_id uuid not null,
  account_id uuid not null,
  domain_id uuid,
  email_id uuid,
  type smallint not null,
  stream smallint not null default 0, -- 0 transactional, 1 broadcast
  sandbox boolean not null default false,
  tag text,
  -- What this fact adds, by type. Null where the type says all.
  data jsonb,
  -- The mail itself, in the first event of each email alone: recipient, from, from_name, subject, message_id, metadata.
  facts json
) partition by range (at);
create index event_order on event (xid, seq);
create index event_email on event (account_id, email_id, at) where email_id is not null;
create index event_account on event (account_id, at, event_id);
select protect('event', 'select, insert');

-- Where each follower stands.
create table follower (
  name text primary key,
  xid xid8 not null default '0',
  seq bigint not null default 0,
  at timestamptz not null default '-infinity' -- the time of the last event read, which prunes partitions
) with (fillfactor = 50);
grant select, insert, update on follower to posthorn_system;

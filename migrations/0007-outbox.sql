-- The outbox: emails as stored, their content, the queue, and what became of each attempt.
--
-- An email is one message to one recipient. The content is stored once for all recipients of a request. The queue row
-- is narrow and lives only while there is something left to do; the email's row keeps the outcome.

-- A destination: the recipient's domain, by a small number that is stable for ever.
create table site (
  id int generated always as identity primary key,
  name text not null unique,
  paused boolean not null default false
);
grant select, insert, update on site to posthorn_system;

create table email (
  id uuid not null,
  account_id uuid not null,
  domain_id uuid,                         -- null: sandbox mail from a domain that is not the account's
  body_id uuid not null,
  created_at timestamptz not null,
  status smallint not null,               -- numbers in src/modules/outbox/types.ts
  sender text not null,
  sender_name text,
  recipient text not null,
  cc text[],                              -- null: none
  reply_to text[],
  recipient_key text not null,            -- lower case, as the lists compare it
  subject text not null,
  message_id text not null,
  stream smallint not null default 0,
  sandbox boolean not null default false,
  sandbox_result smallint not null default 0,
  tag text,
  metadata json,                          -- as it was given: json keeps the order of keys
  size_bytes int not null,
  scheduled_at timestamptz,
  expires_at timestamptz not null,
  tls_required boolean not null default false,
  risk jsonb,
  attempts_count smallint not null default 0,
  last_smtp_code smallint,
  last_response text,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  ended_at timestamptz,
  open_count int not null default 0,
  click_count int not null default 0,
  primary key (account_id, id)
) partition by range (id);
create index email_recipient on email (account_id, recipient_key text_pattern_ops);
create index email_message_id on email (account_id, message_id);
select protect('email', 'select');

create table email_body (
  id uuid not null,
  account_id uuid not null,
  body bytea not null,                    -- of a content in pieces: its first one
  whole_bytes int,                        -- null: `body` is all of it
  primary key (account_id, id)
) partition by range (id);
alter table email_body alter column body set storage external;
select protect('email_body', 'select');

-- What follows the first piece of a large content, so that nobody has to hold all of it at once.
create table email_body_piece (
  id uuid not null,
  account_id uuid not null,
  piece smallint not null,                -- from 1
  body bytea not null,
  primary key (account_id, id, piece)
) partition by range (id);
alter table email_body_piece alter column body set storage external;
select protect('email_body_piece', 'select');

create table attempt (
  email_id uuid not null,
  account_id uuid not null,
  number smallint not null,
  started_at timestamptz not null,
  duration_ms int not null,
  outcome smallint not null,              -- 0 delivered, 1 deferred, 2 bounced, 3 error
  detail text not null,                   -- JSON, in wire names
  primary key (account_id, email_id, number)
) partition by range (email_id);
select protect('attempt', 'select');

-- state 0: ready, `at` is the order. 1: leased to the node whose epoch is lease_owner. 2: later, `at` is when.
-- `attempt` is the fence: a result is written only under the number that the claim gave out. A crash burns a number.
create table queue (
  id uuid primary key,
  account_id uuid not null,
  domain_id uuid,
  site_id int not null,
  at timestamptz not null,
  state smallint not null default 0,
  attempt smallint not null default 0,
  lease_owner int,
  sandbox boolean not null default false,
  scheduled boolean not null default false, -- becomes sent when it is due
  recipient_key text not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index queue_ready on queue (site_id, account_id, at) where state = 0;
create index queue_later on queue (at) where state = 2;
select protect('queue', '');

-- A process that delivers. Its leases hold while it renews this row; a dead epoch can claim and record nothing.
create table node (
  epoch int generated always as identity primary key,
  name text not null,
  lease_until timestamptz not null,
  dead boolean not null default false,
  died_at timestamptz
) with (fillfactor = 50);
grant select, insert, update, delete on node to posthorn_system;

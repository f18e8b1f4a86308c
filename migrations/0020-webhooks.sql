-- Endpoints that are told what happens, what waits to be told, and what became of it.

create table webhook (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  events text[] not null,
  domain_ids uuid[], -- null: all domains
  is_active boolean not null,
  secret bytea not null, -- sealed
  secret_last4 text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  active_since timestamptz not null, -- what happened before is never told
  last_delivery_at timestamptz,
  last_delivery_status text,
  consecutive_failures int not null default 0,
  failing_since timestamptz, -- the first failure since the last success
  disabled_at timestamptz,
  disabled_reason text,
  primary key (account_id, id)
) with (fillfactor = 70);
create unique index webhook_id on webhook (id);
select protect('webhook', 'select, insert, update, delete');

-- One row for each event that an endpoint has yet to be told. `due` is when it may be claimed; a claim puts it off to the end
-- of its lease. The event itself stays in the log and is read when its turn comes.
create table webhook_queue (
  id uuid primary key,
  account_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_at timestamptz not null,
  event smallint not null,
  email_id uuid,
  due timestamptz not null,
  lease uuid, -- whose attempt is under way
  attempt smallint not null default 0, -- attempts that have ended
  leads boolean not null default false, -- a first attempt that customer-level endpoints wait for
  held boolean not null default false, -- waits for the leading ones, until `due` at the latest
  last jsonb -- how the last attempt ended
) with (fillfactor = 70);
create index webhook_queue_due on webhook_queue (webhook_id, due, id);
create index webhook_queue_order on webhook_queue (event_id) where leads or held;
select protect('webhook_queue', 'select, insert, update, delete');

-- Deliveries that have ended, for 30 days.
create table webhook_delivery (
  id uuid not null, -- as it was in the queue: its time is when the delivery was made
  account_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_at timestamptz not null,
  event smallint not null,
  email_id uuid,
  attempt smallint not null,
  success boolean not null,
  last jsonb,
  primary key (id)
) partition by range (id);
create index webhook_delivery_list on webhook_delivery (account_id, webhook_id, id);
select protect('webhook_delivery', 'select');

-- Idempotency keys of sends: the answer that was given, kept for 24 hours. A row commits together with the emails it
-- speaks for, so a key that is there has its answer.
create table idempotency (
  account_id uuid not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  answer text,                             -- JSON of the body that was answered
  status smallint,
  created_at timestamptz not null,
  primary key (account_id, path, key)
);
create index idempotency_age on idempotency (created_at);
select protect('idempotency', '');

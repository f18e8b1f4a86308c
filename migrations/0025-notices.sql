-- What the accounts and the operator were told by mail, and what waits to be told.

create table notice (
  id uuid primary key,
  account_id uuid, -- null: the operator
  key text not null unique, -- stands for one fact for ever: nothing is told twice
  kind text not null,
  subject text not null,
  body text not null,
  created_at timestamptz not null,
  mailed_at timestamptz, -- null: waits
  email_id uuid -- null: waits, or there was nobody to tell
);
create index notice_waits on notice (id) where mailed_at is null;
create index notice_account on notice (account_id, id);
select protect('notice', 'select');

-- An account's health, one record for each day of UTC; a refresh replaces the day's.

create table health_record (
  account_id uuid not null,
  day date not null,
  calculated_at timestamptz not null,
  score smallint, -- null: too little was sent
  grade text,
  record jsonb not null,
  primary key (account_id, day)
);
select protect('health_record', 'select, insert, update');

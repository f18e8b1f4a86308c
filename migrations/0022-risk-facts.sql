-- What the verdict knows beside the two lists.

-- Addresses and domains that only spam traps live at, kept by the operator for all accounts. Only a MAC under the
-- instance's secret is stored: the list must not be read out of a copy of the database.
create table spamtrap (
  mac bytea primary key,
  added_at timestamptz not null
);
grant select, insert, delete on spamtrap to posthorn_system;

-- How much an account sends: live emails accepted by day of UTC, and within the day by the hour. Written in the
-- transaction that accepts, so a preview and the send that follows it see the same. One row for each day with mail.
create table sent_day (
  account_id uuid not null,
  day date not null,
  accepted bigint not null,
  hour smallint not null,                  -- the last hour in which something was accepted, 0-23
  in_hour bigint not null,                 -- what was accepted in it
  busiest_hour bigint not null,            -- the most that any hour of the day has had
  primary key (account_id, day)
) with (fillfactor = 50);
select protect('sent_day', '');

-- Soft blocks that a sender has overridden: who, and what the verdict had been.
create table risk_override (
  account_id uuid not null,
  email_id uuid not null,
  key_id uuid,                             -- null: a person at the dashboard
  reason text not null,
  score smallint not null,
  at timestamptz not null,
  primary key (account_id, email_id)
);
create index risk_override_at on risk_override (at);
select protect('risk_override', 'select');

-- Hard bounces and complaints whose suppression was taken off by hand: the address is free, the history stays. A hard
-- bounce is forgotten with the next delivery.
create table past_refusal (
  account_id uuid not null,
  email text collate "C" not null,
  reason text not null check (reason in ('hard_bounce', 'complaint')),
  at timestamptz not null,
  primary key (account_id, email, reason)
);
select protect('past_refusal', 'select, insert, update');

-- Accounts: who may ask, how much, and how often.
--
-- A change that authentication or delivery must notice is announced on channel posthorn_accounts with the account's id;
-- writing down that a key was used is no such change.

create table account (
  account_id uuid primary key,
  email text not null,
  name text not null,
  company text,
  timezone text not null default 'UTC',
  locale text not null default 'en',
  plan text not null,
  -- What the operator set for this account alone, over its plan: {"emails": 5000, "webhooks": null, "rates": {...}}.
  limits jsonb not null default '{}',
  features jsonb not null default '{}',
  suspended_at timestamptz,
  tracking_enabled boolean not null default false,
  open_tracking_enabled boolean not null default true,
  click_tracking_enabled boolean not null default true,
  unsubscribe_header_enabled boolean not null default false,
  enforce_sender_verification boolean not null default true,
  block_disposable_emails boolean not null default true,
  disposable_confidence_threshold double precision not null default 0.85,
  retention_days int not null default 90,
  created_at timestamptz not null
);
create index account_suspended on account (account_id) where suspended_at is not null;
-- Plan, limits, features and suspension are the operator's: the API's role cannot write them.
select protect('account', 'select, update (email, name, company, timezone, locale, tracking_enabled, open_tracking_enabled,
  click_tracking_enabled, unsubscribe_header_enabled, enforce_sender_verification, block_disposable_emails,
  disposable_confidence_threshold, retention_days)');

create table dashboard_user (
  account_id uuid not null,
  id uuid not null,
  email text not null, -- in lower case
  password_hash text not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index dashboard_user_email on dashboard_user (email);
select protect('dashboard_user', '');

create table api_key (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  -- The first 16 characters of the key find the row; the SHA-256 of the whole key decides.
  prefix text not null,
  last4 text not null,
  hash bytea not null,
  mode text not null check (mode in ('live', 'sandbox')),
  scopes text[] not null,
  domain_ids uuid[],
  allowed_ips text[] not null default '{}',
  expires_at timestamptz,
  last_used_at timestamptz,
  last_used_ip text,
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- The secret before the last rotation.
  previous_prefix text,
  previous_hash bytea,
  previous_valid_until timestamptz,
  primary key (account_id, id)
) with (fillfactor = 80);
create index api_key_prefix on api_key (prefix);
create index api_key_previous_prefix on api_key (previous_prefix) where previous_prefix is not null;
select protect('api_key', 'select, insert, update');

-- Two per account under one user name: what logs in with the sandbox password stays in the house.
create table smtp_credential (
  account_id uuid not null,
  mode text not null check (mode in ('live', 'sandbox')),
  username text not null,
  -- Sealed for the API that shows it; submission compares the keyed hash alone.
  password_sealed bytea not null,
  password_mac bytea not null,
  previous_mac bytea,
  previous_valid_until timestamptz,
  created_at timestamptz not null,
  rotated_at timestamptz,
  last_used_at timestamptz,
  primary key (account_id, mode),
  unique (username, mode)
) with (fillfactor = 80);
select protect('smtp_credential', 'select, update');

-- What an account used of a resource in a month of UTC.
create table usage (
  account_id uuid not null,
  resource text not null,
  month date not null,
  used bigint not null,
  primary key (account_id, resource, month)
) with (fillfactor = 50);
select protect('usage', 'select, insert, update');

-- One token bucket per key and class, from which every process leases slices. Losing it in a crash fills the buckets.
create unlogged table rate_bucket (
  bucket_id uuid not null,
  class text not null,
  tokens double precision not null,
  at timestamptz not null,
  primary key (bucket_id, class)
) with (fillfactor = 50);
grant select, insert, update, delete on rate_bucket to posthorn_system;

-- Takes tokens out of buckets: `need` or nothing, up to `want` where there are as many. Buckets are locked in one order.
-- A bucket's time never goes back, so machines whose clocks differ do not refill it twice.
create function lease_tokens(bucket_ids uuid[], classes text[], per_second float8[], bursts float8[], needs float8[],
  wants float8[], asked_at timestamptz)
  returns table (bucket_id uuid, class text, granted float8, tokens float8) language plpgsql as $$
declare
  asked record;
  bucket rate_bucket;
begin
  for asked in
    select * from unnest(bucket_ids, classes, per_second, bursts, needs, wants) as t(id, class, per_second, burst, need, want)
    order by t.id, t.class
  loop
    insert into rate_bucket as b values (asked.id, asked.class, asked.burst, asked_at)
    on conflict on constraint rate_bucket_pkey do update set
      tokens = least(asked.burst,
        b.tokens + asked.per_second * greatest(extract(epoch from asked_at - b.at)::float8, 0)),
      at = greatest(b.at, asked_at)
    returning b.* into bucket;
    granted := case when bucket.tokens >= asked.need then least(bucket.tokens, asked.want) else 0 end;
    if granted > 0 then
      update rate_bucket b set tokens = bucket.tokens - granted
      where b.bucket_id = asked.id and b.class = asked.class;
    end if;
    bucket_id := asked.id;
    class := asked.class;
    tokens := bucket.tokens - granted;
    return next;
  end loop;
end $$;
revoke execute on function lease_tokens(uuid[], text[], float8[], float8[], float8[], float8[], timestamptz) from public;
grant execute on function lease_tokens(uuid[], text[], float8[], float8[], float8[], float8[], timestamptz) to posthorn_system;

create function announce_account() returns trigger language plpgsql as $$
begin
  perform pg_notify('posthorn_accounts', new.account_id::text);
  return null;
end $$;
create trigger announce after insert or update on account for each row execute function announce_account();
create trigger announce after update of name, scopes, domain_ids, allowed_ips, expires_at, revoked_at, hash, previous_hash,
  previous_valid_until on api_key for each row execute function announce_account();
create trigger announce after update of password_mac, previous_mac, previous_valid_until on smtp_credential
  for each row execute function announce_account();

-- Tracking: what readers' programs fetched, as it came in and before it is judged, and the branded names of links.

-- One row a fetched pixel or link, or an unsubscribe request. The id is chosen before anything is written, so that a hit
-- which was kept on disk while the database was down arrives once; it is also the id of the event that the hit becomes.
create table hit (
  id uuid not null,
  account_id uuid not null,
  email_id uuid not null,
  kind smallint not null,                 -- numbers in src/modules/tracking/hits.ts
  at timestamptz not null,
  link_index smallint,
  url text,
  hidden boolean not null default false,  -- a link that nobody is meant to see
  head boolean not null default false,
  user_agent text not null,
  ip text not null,
  waits boolean not null,                 -- not yet judged
  primary key (account_id, id)
) partition by range (id);
create index hit_waits on hit (at) where waits;
create index hit_email on hit (account_id, email_id, at) where kind = 1;
select protect('hit', '');

-- `id` is bound to the sealed key; a name may stand here for several accounts, but be verified for one.
create table tracking_domain (
  id uuid primary key,
  account_id uuid not null,
  name text not null,                     -- lower-case A-labels
  cname_target text not null,
  created_at timestamptz not null,
  verified_at timestamptz,                -- null: not verified
  found text,                             -- what the last check found
  check_error text,
  checked_at timestamptz,
  next_check_at timestamptz,              -- null: none is planned
  ssl_status text not null default 'none' check (ssl_status in ('none', 'pending', 'issued', 'failed')),
  ssl_since timestamptz,                  -- from when links of new mails may use the name
  ssl_expires_at timestamptz,
  ssl_error text,
  certificate text,                       -- PEM, the chain
  private_key bytea,                      -- PKCS#8 PEM, sealed with the row's id
  ssl_failures smallint not null default 0,
  ssl_due_at timestamptz,                 -- when to ask for a certificate; null: nothing is to be done
  unique (account_id, name)
);
create unique index tracking_domain_verified on tracking_domain (name) where verified_at is not null;
create index tracking_domain_check on tracking_domain (next_check_at) where next_check_at is not null;
create index tracking_domain_ssl on tracking_domain (ssl_due_at) where ssl_due_at is not null;
select protect('tracking_domain', 'select, insert, update, delete');

-- A deleted name that was verified: nobody else can claim it for a while.
create table tracking_domain_hold (
  name text primary key,
  account_id uuid not null,
  until timestamptz not null
);
select protect('tracking_domain_hold', '');

-- What the CA asks of any machine that answers for the name.
create table acme_challenge (
  token text primary key,
  key_authorization text not null,
  expires_at timestamptz not null
);
grant select, insert, delete on acme_challenge to posthorn_system;

create table acme_account (
  directory text primary key,
  private_key bytea not null,             -- sealed
  url text
);
grant select, insert, update on acme_account to posthorn_system;

-- Targets that no link may lead to any more: a host and everything below it.
create table blocked_target (
  host text primary key,
  created_at timestamptz not null default now()
);
grant select, insert, delete on blocked_target to posthorn_system;

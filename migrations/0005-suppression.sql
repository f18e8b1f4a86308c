-- The two lists that say whom an account does not mail, and what feeds them. `email` is always the suppression key of an
-- address (lower case, one spelling for each mailbox). An entry made by sandbox mail stops sandbox mail alone, so a
-- mailbox may stand on a list twice.

-- Whom we blocked.
create table suppression (
  account_id uuid not null,
  email text collate "C" not null,
  sandbox boolean not null default false,
  id uuid not null,
  -- By weight, the heavier number wins: 1 manual, 2 repeated_soft_bounce, 3 hard_bounce, 4 complaint, 5 spamtrap.
  reason smallint not null check (reason between 1 and 5),
  source text not null,
  domain_id uuid,
  email_id uuid,
  bounce_id uuid,
  details text,
  expires_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, email, sandbox)
);
create index suppression_newest on suppression (account_id, created_at, id);
create index suppression_expiry on suppression (expires_at) where expires_at is not null;
select protect('suppression', 'select, insert, update, delete');

-- Who asked not to be mailed.
create table unsubscribe (
  account_id uuid not null,
  email text collate "C" not null,
  sandbox boolean not null default false,
  id uuid not null,
  source text not null,
  reason text,
  domain_id uuid,
  email_id uuid,
  created_at timestamptz not null,
  primary key (account_id, email, sandbox)
);
create index unsubscribe_newest on unsubscribe (account_id, created_at, id);
select protect('unsubscribe', 'select, insert, update, delete');

-- The soft-bounced emails of a recipient since the last delivery, at most three: one row, so that two bounces that
-- arrive at once are counted one after the other.
create table soft_bounce (
  account_id uuid not null,
  email text collate "C" not null,
  sandbox boolean not null default false,
  email_ids uuid[] not null,
  bounced_at timestamptz[] not null,
  last_at timestamptz not null,
  primary key (account_id, email, sandbox)
);
create index soft_bounce_last on soft_bounce (last_at);
select protect('soft_bounce', '');

-- Who took an address off a list, and what the list said of it.
create table list_removal (
  id uuid not null,
  account_id uuid not null,
  list text not null check (list in ('suppression', 'unsubscribe')),
  email text collate "C" not null,
  entry jsonb not null,
  removed_by text not null check (removed_by in ('api', 'manual', 'expiry')),
  key_id uuid,
  removed_at timestamptz not null,
  primary key (account_id, id)
);
create index list_removal_email on list_removal (account_id, email);
select protect('list_removal', 'select, insert');

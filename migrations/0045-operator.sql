-- The operator of an installation: people who handle all accounts, what they did, and what they look at.

alter table dashboard_user add column operator boolean not null default false;
create index dashboard_user_operators on dashboard_user (account_id, id) where operator;

-- The account that an operator looks into, instead of their own.
alter table dashboard_session add column acting_id uuid references account (account_id) on delete set null;

-- What operators did: written in the transaction of the deed. It stays when a user or an account goes.
create table operator_action (
  id uuid primary key,
  at timestamptz not null,
  operator text not null, -- the address with which they signed in; `console` for a command
  ip text, -- null for a command
  action text not null,
  account_id uuid, -- whom it was about; null: the installation
  detail jsonb not null default '{}'
);
create index operator_action_account on operator_action (account_id, id);
select protect('operator_action', '');

-- A token that is printed on the console and makes the first operator. SHA-256; used once.
create table setup_token (
  hash bytea primary key,
  account_id uuid references account (account_id) on delete cascade, -- null: an account is made
  expires_at timestamptz not null
);
alter table setup_token enable row level security;
alter table setup_token force row level security;
create policy system on setup_token to posthorn_system using (true) with check (true);
grant select, insert, delete on setup_token to posthorn_system;

-- A destination that the operator holds back. The claim asks here, so it holds for all machines with the commit.
alter table site add column paused_at timestamptz;
create index site_paused on site (id) where paused;

-- What each delivering process last heard of a destination, and how much went there in its last minute.
create table site_report (
  site_id int not null references site (id) on delete cascade,
  node text not null,
  at timestamptz not null,
  attempts int not null,
  delivered int not null,
  outcome smallint not null, -- of the last attempt; as in attempt
  response text,
  primary key (site_id, node)
) with (fillfactor = 70);
grant select, insert, update, delete on site_report to posthorn_system;

-- Processes of the installation, whatever roles they run. Each renews its row.
create table machine (
  id uuid primary key,
  host text not null,
  pid int not null,
  roles text[] not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null, -- by the clock of the database
  loop_delay_ms int not null, -- the 99th percentile since the last beat
  memory_bytes bigint not null,
  stopped_at timestamptz -- it said goodbye
) with (fillfactor = 50);
grant select, insert, update, delete on machine to posthorn_system;

-- People who look at an account in the dashboard, and the sessions in which they do.

alter table dashboard_user
  add column role text not null default 'owner' check (role in ('owner', 'developer', 'viewer')),
  add column totp_secret bytea, -- sealed; null: no second factor
  add column totp_pending bytea, -- sealed; offered, not yet shown to work
  add column totp_used bigint not null default 0, -- the last time step that was accepted: none is accepted twice
  add column recovery_hashes bytea[] not null default '{}', -- SHA-256; each works once
  add column last_seen_at timestamptz;
create unique index dashboard_user_once on dashboard_user (account_id, email);

create table dashboard_session (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null, -- SHA-256 of what the cookie carries
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  ip text not null,
  agent text not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references dashboard_user (account_id, id) on delete cascade
);
create unique index dashboard_session_token on dashboard_session (token_hash);
create index dashboard_session_user on dashboard_session (account_id, user_id);
select protect('dashboard_session', '');

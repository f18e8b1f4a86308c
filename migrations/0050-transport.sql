-- What receivers ask of TLS towards their hosts. A policy outlives the record that announced it, until its own end
-- (RFC 8461 section 3.3), so all machines share it.
create table transport_policy (
  domain text collate "C" primary key,
  id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  max_age int not null,              -- seconds
  fetched_at timestamptz not null,
  expires_at timestamptz not null
);
create index transport_policy_expires on transport_policy (expires_at);
grant select, insert, update, delete on transport_policy to posthorn_system;

-- Sessions with hosts of domains that want reports (RFC 8460), by day and by what came of them.
create table transport_session (
  day date not null,
  domain text collate "C" not null,
  policy text collate "C" not null,  -- JSON, as the report has it
  result text collate "C" not null,  -- '' : TLS came about as the policy asks
  host text collate "C" not null,
  ip text collate "C" not null,
  source_ip text collate "C" not null,
  sessions bigint not null,
  primary key (day, domain, policy, result, host, ip, source_ip)
);
grant select, insert, update, delete on transport_session to posthorn_system;

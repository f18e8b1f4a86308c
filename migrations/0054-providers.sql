-- Whose hosts a try to deliver reached, beside the event that tells what came of it: google, microsoft, yahoo ... as
-- src/mail/providers.ts names them, or `sandbox`. Null in events that are no such answer.
alter table event add column provider text;

-- Roll-ups of these events by provider, written by the follower of the statistics alone; the key is that of stat_bucket and
-- the provider. Each try that reached a host counts in one figure.
create table stat_provider (
  account_id uuid not null,
  scope smallint not null, -- 0 the account, 1 one domain, 2 one tag, 3 a tag of a domain
  span smallint not null, -- 0 a quarter of an hour, 1 a day of UTC, 2 an hour
  domain_id uuid not null, -- all zeros where the scope has none
  tag text not null, -- '' where the scope has none
  bucket timestamptz not null, -- when the span begins
  stream smallint not null,
  sandbox boolean not null,
  provider text not null,
  accepted int not null default 0,
  deferred int not null default 0,
  bounced int not null default 0,
  blocked int not null default 0,
  primary key (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, provider)
) with (fillfactor = 70);
select protect('stat_provider', 'select');

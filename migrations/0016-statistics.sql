-- Roll-ups of the log, written by their follower alone. Each event counts in up to eight rows: by UTC day and by quarter of
-- an hour (every time zone in use is a whole number of quarters from UTC), each for the account as a whole, for its domain,
-- for its tag, and for both, so that no question adds up more rows than its answer has spans.

create table stat_bucket (
  account_id uuid not null,
  scope smallint not null, -- 0 the account, 1 one domain, 2 one tag, 3 a tag of a domain
  span smallint not null, -- 0 a quarter of an hour, 1 a day of UTC
  domain_id uuid not null, -- all zeros where the scope has none
  tag text not null, -- '' where the scope has none
  bucket timestamptz not null, -- when the span begins
  stream smallint not null,
  sandbox boolean not null,
  sent int not null default 0,
  delivered int not null default 0,
  hard int not null default 0,
  soft int not null default 0,
  block int not null default 0,
  unknown_bounces int not null default 0,
  complained int not null default 0,
  unsubscribed int not null default 0,
  failed int not null default 0,
  suppressed int not null default 0,
  deferred int not null default 0,
  opens int not null default 0,
  machine_opens int not null default 0,
  unique_opens int not null default 0,
  unique_any_opens int not null default 0,
  clicks int not null default 0,
  bot_clicks int not null default 0,
  unique_clicks int not null default 0,
  unique_any_clicks int not null default 0,
  desktop int not null default 0,
  mobile int not null default 0,
  webmail int not null default 0,
  unknown_platform int not null default 0,
  machine_desktop int not null default 0,
  machine_mobile int not null default 0,
  machine_webmail int not null default 0,
  machine_unknown_platform int not null default 0,
  primary key (account_id, scope, span, domain_id, tag, bucket, stream, sandbox)
) with (fillfactor = 70);
select protect('stat_bucket', 'select');

-- When an email was first opened and clicked, by a person and by anyone: once per email is counted once, on its first day,
-- in whatever order the events arrive.
create table stat_first (
  account_id uuid not null,
  email_id uuid not null,
  opened timestamptz,
  any_opened timestamptz,
  clicked timestamptz,
  any_clicked timestamptz,
  primary key (account_id, email_id)
) with (fillfactor = 80);
select protect('stat_first', '');

-- What previews came to, counted by month: one row for each outcome, so that statistics are a sum of a few rows.
create table risk_preview_count (
  account_id uuid not null,
  month date not null,
  action text not null,
  level text not null,
  reason text not null,                    -- '' = allowed
  previews bigint not null,
  score_sum bigint not null,
  primary key (account_id, month, action, level, reason)
);
select protect('risk_preview_count', 'select');

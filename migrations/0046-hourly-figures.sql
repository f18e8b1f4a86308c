-- Hours beside quarters and days of the roll-ups (span 2): a day of another time zone is cut out of fewer rows.
alter table stat_bucket no force row level security;
insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, hard, soft, block,
  unknown_bounces, complained, unsubscribed, failed, suppressed, deferred, opens, machine_opens, unique_opens, unique_any_opens,
  clicks, bot_clicks, unique_clicks, unique_any_clicks, desktop, mobile, webmail, unknown_platform, machine_desktop,
  machine_mobile, machine_webmail, machine_unknown_platform)
select account_id, scope, 2, domain_id, tag, date_trunc('hour', bucket, 'UTC'), stream, sandbox, sum(sent), sum(delivered),
  sum(hard), sum(soft), sum(block), sum(unknown_bounces), sum(complained), sum(unsubscribed), sum(failed), sum(suppressed),
  sum(deferred), sum(opens), sum(machine_opens), sum(unique_opens), sum(unique_any_opens), sum(clicks), sum(bot_clicks),
  sum(unique_clicks), sum(unique_any_clicks), sum(desktop), sum(mobile), sum(webmail), sum(unknown_platform),
  sum(machine_desktop), sum(machine_mobile), sum(machine_webmail), sum(machine_unknown_platform)
from stat_bucket where span = 0
group by account_id, scope, domain_id, tag, date_trunc('hour', bucket, 'UTC'), stream, sandbox;
alter table stat_bucket force row level security;

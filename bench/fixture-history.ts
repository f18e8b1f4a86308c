// A long history in the tables, made by the database itself: emails of several accounts over many days, with their events, in
// the partitions and proportions in which the service would have written them.
//
// Of a hundred emails, 65 are broadcasts, 98 are delivered, 3 of them after a deferral, 1 bounces; 35 are opened, 15 of them
// twice, 5 clicked; a few people unsubscribe and complain. That makes 2.6 events per email. Broadcasts share their contents.
// One account holds half, the next a fifth, the last a fortieth.

import pg from 'pg'
import { connect, type Database, statement } from '../src/platform/db.ts'
import type { Account } from '../test/peers/posthorn.ts'
import type { Deep } from './fixture-deep.ts'
import { ROLL_UP, ROLL_UP_PROVIDERS } from './fixture-rollups.ts'

export const DAY_MS = 86_400_000
const EVENTS_AN_EMAIL = 2.6
/** How many of forty emails belong to the account at this position. */
export const SHARES = [20, 8, 4, 3, 2, 1, 1, 1] as const
const INBOX_MAILS = 20_000

const SLOW = statement('bench_slow', 'set statement_timeout = 0')
const PARTITIONS = statement(
  'bench_history_partitions',
  `select ensure_partitions('event', false, $1::date, $2), ensure_partitions('email', true, $1::date, $2),
     ensure_partitions('email_body', true, $1::date, $2), ensure_partitions('email_body_piece', true, $1::date, $2),
     ensure_partitions('attempt', true, $1::date, $2)`,
)
const idAt = (at: string): string =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7'
     || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid`

// $1 account and $2 email that everything is copied from, $3 start of the day, $4 how many, $5 milliseconds between two,
// $6 forty accounts. `fate` decides the email's result, `read` what its reader did; both are numbers between 0 and 1.
const DAY = statement(
  'bench_history_day',
  `with t as materialized (select * from email where account_id = $1::uuid and id = $2::uuid),
   told as materialized (select type, data, facts from event where account_id = $1::uuid and email_id = $2::uuid and type in (1, 2)),
   tried as materialized (select detail from attempt where account_id = $1::uuid and email_id = $2::uuid and number = 1),
   held as materialized (select b.body from email_body b, t where b.account_id = t.account_id and b.id = t.body_id),
   drawn as materialized (
     select i, at, ${idAt('at')} as id, ($6::uuid[])[i % 40 + 1] as account_id, i / 40 % 3 as domain, random() as fate,
       random() as read, random() < .65 as broadcast, (random() * 299999)::int as person
     from (select i, $3::timestamptz + i * $5::float8 * interval '1 millisecond' as at from generate_series(0, $4::int - 1) i) s),
   n as materialized (
     select d.i, d.at, d.id, d.account_id, d.fate, d.read, d.broadcast::int as stream,
       case when d.account_id = $1::uuid and d.domain = 0 then t.domain_id else md5(d.account_id || 'domain' || d.domain)::uuid end
         as domain_id,
       case when d.broadcast then 'campaign ' || to_char($3::timestamptz, 'MM-DD') when d.i % 3 = 0 then 'receipt'
         when d.i % 3 = 1 then 'welcome' end as tag,
       'user' || d.person || '@d' || d.person % 999 || '.dest.test' as recipient,
       case when d.fate < .01 then 4 when d.fate < .013 then 5 when d.fate < .016 then 6 when d.fate < .0165 then 8 else 3 end
         as status,
       case when d.broadcast then first_value(d.id) over (partition by d.broadcast, d.account_id, d.domain, d.i / 480 order by d.id)
         else d.id end as body_id
     from drawn d, t),
   e as (
     insert into email (id, account_id, domain_id, body_id, created_at, status, sender, sender_name, recipient, cc, reply_to,
       recipient_key, subject, message_id, stream, sandbox, sandbox_result, tag, metadata, size_bytes, expires_at, tls_required,
       risk, attempts_count, last_smtp_code, last_response, delivered_at, ended_at, open_count, click_count)
     select n.id, n.account_id, n.domain_id, n.body_id, n.at, n.status, t.sender, t.sender_name, n.recipient, t.cc, t.reply_to,
       n.recipient, t.subject || ' ' || n.i, n.id || '@bench.test', n.stream, false, t.sandbox_result, n.tag, t.metadata,
       t.size_bytes, n.at + interval '3 days', t.tls_required, t.risk, case when n.status = 6 then 0 else 1 end,
       t.last_smtp_code, t.last_response, case when n.status in (3, 8) then n.at + interval '2 seconds' end,
       n.at + interval '2 seconds', case when n.status = 3 then (n.read < .35)::int + (n.read < .15)::int else 0 end,
       case when n.status = 3 then (n.read < .05)::int else 0 end
     from n, t),
   c as (
     insert into email_body (id, account_id, body) select n.id, n.account_id, held.body from n, held where n.id = n.body_id),
   a as (
     insert into attempt (email_id, account_id, number, started_at, duration_ms, outcome, detail)
     select n.id, n.account_id, 1, n.at + interval '1 second', 12, case n.status when 4 then 2 when 5 then 3 else 0 end, tried.detail
     from n, tried where n.status <> 6),
   b as (
     insert into bounce (id, account_id, email_id, domain_id, recipient, recipient_key, message_id, sender, subject, tag, type,
       category, smtp_code, enhanced_code, diagnostic_code, source, attempt, suppressed, bounced_at, created_at)
     select ${idAt('n.at')}, n.account_id, n.id, n.domain_id, n.recipient, n.recipient, n.id || '@bench.test', t.sender, t.subject,
       n.tag, case when n.status = 8 then 'complaint' when n.fate < .008 then 'hard' else 'block' end,
       case when n.status = 8 then 'complaint' when n.fate < .008 then 'invalid_recipient' else 'reputation' end, 550, '5.1.1',
       'smtp; 550 5.1.1 no such user', 'smtp', 1, n.fate < .008 or n.status = 8, n.at + interval '2 seconds', n.at
     from n, t where n.status in (4, 8)),
   s as (
     insert into suppression (account_id, email, id, reason, source, domain_id, email_id, created_at)
     select account_id, recipient, ${idAt('at')}, case status when 8 then 4 else 3 end, 'bounce', domain_id, id, at
     from n where status = 8 or fate < .008 on conflict do nothing),
   u as (
     insert into unsubscribe (account_id, email, id, source, domain_id, email_id, created_at)
     select account_id, recipient, ${idAt('at')}, 'link', domain_id, id, at
     from n where status = 3 and read < .003 on conflict do nothing),
   f as (
     insert into stat_first (account_id, email_id, opened, any_opened, clicked, any_clicked)
     select account_id, id, case when read < .2 then at end, at, case when read < .05 then at end, case when read < .05 then at end
     from n where status = 3 and read < .35)
   insert into event (at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data, facts, provider)
   select x.at, gen_random_uuid(), n.account_id, n.domain_id, n.id, x.type, n.stream, false, n.tag, x.data::jsonb, x.facts::json,
     case when x.type in (2, 5, 10) then (array['google', 'microsoft', 'yahoo', 'gmx'])[n.i % 4 + 1] end
   from (select * from told where type = 1) accepted, (select * from told where type = 2) delivered, n cross join lateral (values
     (1, n.at, true, accepted.data::text, accepted.facts::text),
     (10, n.at + interval '2 seconds', n.status = 3 and n.fate > .97, '{"smtp_code": 451, "response": "451 4.7.1 later"}', null),
     (2, n.at + interval '9 seconds', n.status in (3, 8), delivered.data::text, null),
     (5, n.at + interval '2 seconds', n.status = 4,
       '{"type": "hard", "category": "invalid_recipient", "smtp_code": 550, "response": "550 5.1.1 no such user"}', null),
     (8, n.at + interval '2 seconds', n.status = 5, '{"reason": "expired"}', null),
     (11, n.at, n.status = 6, '{"reason": "hard_bounce"}', null),
     (6, n.at + interval '5 hours', n.status = 8, '{"feedback_type": "abuse"}', null),
     (3, n.at + n.read * interval '20 hours', n.status = 3 and n.read < .35,
       '{"machine": false, "platform": "webmail", "ip": "192.0.2.1", "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}', null),
     (3, n.at + n.read * interval '90 hours', n.status = 3 and n.read < .15,
       '{"machine": true, "platform": "desktop", "ip": "192.0.2.1", "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}', null),
     (4, n.at + n.read * interval '95 hours', n.status = 3 and n.read < .05,
       '{"machine": false, "url": "https://example.test/offer", "link_index": 2, "ip": "192.0.2.1"}', null),
     (7, n.at + n.read * interval '96 hours', n.status = 3 and n.read < .003, '{"source": "link"}', null)
   ) as x(type, at, happened, data, facts)
   where x.happened and x.at < now()`,
)
// $1 account, $2 how many: over the last 30 days, the retention of the inbox.
const INBOX = statement(
  'bench_history_inbox',
  `insert into inbox (id, account_id, email_id, sender, recipient, recipient_key, subject, raw, size_bytes, received_at)
   select ${idAt('at')}, $1::uuid, gen_random_uuid(), 'news@bench.test', 'user' || i % 500 || '@dest.test',
     'user' || i % 500 || '@dest.test', 'Ihre Bestellung ' || i, convert_to(repeat('Grüezi ', 300), 'UTF8'), 2400, at
   from (select i, now() - i * interval '29 days' / $2::int as at from generate_series(0, $2::int - 1) i) s`,
)
// Skips all followers: the statistics of the largest and smallest account are made below, and reading the rest would be wasted.
const PASS_BY = statement(
  'bench_history_pass_by',
  `update follower f set xid = e.xid, seq = e.seq, at = now()
   from (select xid, seq from event order by xid desc, seq desc limit 1) e`,
)
// Removes what the follower counted for the first email.
const UNCOUNT = statement('bench_history_uncount', 'with b as (delete from stat_bucket) delete from stat_provider')
// Retention deletes nothing from before an account was created.
const OLDER = statement('bench_history_older', 'update account set created_at = $1')
const USED = statement(
  'bench_history_used',
  `insert into usage (account_id, resource, month, used) values ($1, 'emails', date_trunc('month', now())::date, $2)
   on conflict (account_id, resource, month) do update set used = excluded.used`,
)
const COUNT = statement('bench_history_count', 'select count(*)::int as events from event')

/** Fills the tables while the service delivers nothing. @returns how many events there are */
export async function fillHistory(
  deep: Deep,
  accounts: readonly Account[],
  model: string,
  { events, days }: { readonly events: number; readonly days: number },
): Promise<number> {
  const database = connect({
    url: deep.adminUrl,
    maxConnections: 1,
    answerWithinMs: 600_000,
    onError: (error) => console.error(error),
  })
  try {
    const { system } = database
    await system.execute(SLOW)
    const first = Math.floor(Date.now() / DAY_MS - days + 1) * DAY_MS
    await system.query(PARTITIONS, [new Date(first), days + 2])
    await system.execute(OLDER, [new Date(first)])
    const stepMs = ((Date.now() - first) / events) * EVENTS_AN_EMAIL
    const slots = accounts.flatMap(({ account_id }, at) => Array<string>(SHARES[at] ?? 0).fill(account_id))
    const began = performance.now()
    for (let day = first; day < Date.now(); day += DAY_MS) {
      const many = Math.floor((Math.min(day + DAY_MS, Date.now()) - day) / stepMs)
      await system.execute(DAY, [deep.account.account_id, model, new Date(day), many, stepMs, slots])
      if ((day - first) % (10 * DAY_MS) === 0) told(began, `day ${(day - first) / DAY_MS + 1} of ${days}`)
    }
    await system.execute(PASS_BY)
    await system.execute(INBOX, [deep.account.account_id, INBOX_MAILS])
    await system.execute(UNCOUNT)
    for (const account of [accounts[0], accounts.at(-1)]) await rollUp(database, account?.account_id ?? '', first)
    for (const [at, { account_id: id }] of accounts.entries()) {
      await system.execute(USED, [id, Math.round((((SHARES[at] ?? 0) / 40) * events) / EVENTS_AN_EMAIL / 3)])
    }
    told(began, 'rolled up')
    await vacuum(deep.adminUrl)
    told(began, 'vacuumed')
    return (await system.one<{ events: number }>(COUNT))?.events ?? 0
  } finally {
    await database.close()
  }
}

async function rollUp({ system }: Database, accountId: string, first: number): Promise<void> {
  for (let day = first; day < Date.now(); day += DAY_MS) {
    const whole = [accountId, new Date(day), new Date(day + DAY_MS)]
    await system.execute(ROLL_UP, whole)
    await system.execute(ROLL_UP_PROVIDERS, whole)
  }
}

/** Vacuums and flushes what was made, so that later measurements do not pay for it. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

function told(began: number, what: string): void {
  console.error(`${what} after ${Math.round((performance.now() - began) / 1_000)} s`)
}

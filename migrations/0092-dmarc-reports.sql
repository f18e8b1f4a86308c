-- Aggregate reports about DMARC that came to us about an account's domains (RFC 9990): what a receiver saw of their mail.
create table dmarc_report (
  account_id uuid not null,
  id uuid not null,                      -- in the order of arrival
  domain text collate "C" not null,      -- of the account: the policy's, or one below it that the mail came from
  organization text not null,            -- who reports, in their own words: not verified, and so all that follows
  report_id text not null,
  contact text,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  policy_domain text collate "C" not null,
  policy json not null,                  -- as the API shows it, and so the records
  messages bigint not null,
  passed bigint not null,
  quarantined bigint not null,
  rejected bigint not null,
  records json not null,
  received_at timestamptz not null,
  dkim text not null check (dkim in ('pass', 'fail', 'none', 'unknown')), -- who signed the report
  dkim_domain text,                      -- with pass alone
  dkim_reason text,                      -- with all but pass
  primary key (account_id, id),
  unique (account_id, domain, organization, report_id, begins_at)
);
create index dmarc_report_newest on dmarc_report (account_id, domain, id);
create index dmarc_report_received on dmarc_report (received_at);
select protect('dmarc_report', 'select');

alter table inbound_report drop constraint inbound_report_kind_check;
alter table inbound_report add constraint inbound_report_kind_check
  check (kind in ('return_path', 'feedback', 'tls', 'dmarc', 'operator', 'api'));

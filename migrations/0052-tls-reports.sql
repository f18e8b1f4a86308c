-- Reports that came to us about TLS towards an account's domains (RFC 8460): what a sender told of one day. Reports about
-- the host itself, which is nobody's domain, belong to the system account.
create table tls_report (
  account_id uuid not null,
  id uuid not null,                      -- in the order of arrival
  domain text collate "C" not null,
  organization text not null,            -- who tells, in their own words: not verified, and so all that follows
  report_id text not null,
  contact text,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  successful bigint not null,            -- sessions
  failed bigint not null,
  policies json not null,                -- as the API shows them
  received_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, domain, organization, report_id, begins_at)
);
create index tls_report_newest on tls_report (account_id, domain, id);
create index tls_report_received on tls_report (received_at);
select protect('tls_report', 'select');

alter table inbound_report drop constraint inbound_report_kind_check;
alter table inbound_report add constraint inbound_report_kind_check
  check (kind in ('return_path', 'feedback', 'tls', 'operator', 'api'));

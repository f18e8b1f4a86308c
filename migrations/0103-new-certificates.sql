-- When an account got a certificate for a name that had none. Counted for a day, whatever becomes of the name meanwhile.
create table tracking_new_certificate (
  account_id uuid not null,
  issued_at timestamptz not null
);
create index tracking_new_certificate_day on tracking_new_certificate (account_id, issued_at);
select protect('tracking_new_certificate', '');
insert into tracking_new_certificate (account_id, issued_at)
  select account_id, ssl_since from tracking_domain
  where certificate is not null and ssl_since > now() - interval '1 day'
  union all
  select account_id, until - interval '30 days' from tracking_domain_hold where until > now() + interval '29 days';

-- Who signed what came by mail, by DKIM. `pass`: the domain is verified; else the reason tells why not. A report about TLS from
-- before is one whose signer is unknown: it was not asked.
alter table tls_report
  add column dkim text not null default 'unknown' check (dkim in ('pass', 'fail', 'none', 'unknown')),
  add column dkim_domain text,           -- who signed: with pass alone
  add column dkim_reason text;           -- with all but pass; null: not asked

-- Of complaints that came by mail; null for all else.
alter table bounce
  add column report_dkim text,
  add column report_dkim_domain text,
  add column report_dkim_reason text;

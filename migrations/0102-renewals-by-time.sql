-- Which certificate the authority is asked about next, every five seconds and after each answer; null: at once.
create index tracking_domain_ask on tracking_domain (coalesce(ssl_ask_at, '-infinity'::timestamptz))
  where certificate is not null and verified_at is not null;

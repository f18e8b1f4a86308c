-- What the certificate authority says about renewal (RFC 9773): when it is to be asked next (null: at once), and the identifier by
-- which it knows the certificate (null: not asked yet, or unknown to it).
alter table tracking_domain add column ssl_ask_at timestamptz, add column ssl_certificate_id text;
alter table own_certificate add column ask_at timestamptz, add column certificate_id text;

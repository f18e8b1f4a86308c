-- The certificate of the public URL's host, when an authority gives it.
create table own_certificate (
  name text primary key,
  due_at timestamptz not null,            -- when to ask for it
  failures smallint not null default 0,
  certificate text,                       -- PEM, the chain
  private_key bytea,                      -- PKCS#8 PEM, sealed with the name
  expires_at timestamptz
);
grant select, insert, update, delete on own_certificate to posthorn_system;

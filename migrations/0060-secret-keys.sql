-- The secrets that the instance has had. No row: the first is in use, and `instance` tells which it is.
create table secret_key (
  number smallint primary key check (number between 1 and 255),
  check_mac text not null,            -- tells whether a secret is this one
  sealed bytea,                       -- the secret, under the newest; null: it is the newest, which stands in no database
  announced_at timestamptz not null,
  begun_at timestamptz,               -- sealed and signed with from then on; null: not yet
  finished_at timestamptz             -- nothing is sealed with those before any more
);
grant select, insert, update on secret_key to posthorn_system;

alter table machine
  add column secret_held smallint not null default 1,  -- the number of the newest secret that the process holds
  add column secret_used smallint not null default 1;  -- of the one that it seals and signs with

alter table token_key add column secret smallint not null default 1; -- the number of the secret that the key comes from

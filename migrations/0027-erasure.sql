-- People whose data an account erased. That they are not mailed must outlive their address, so a salted hash of it is kept:
-- `address_key` is what both sides make of an address, the ledger when it is asked and the erasure when it writes.
create table erasure_salt (
  one boolean primary key default true check (one),
  salt bytea not null
);
insert into erasure_salt (salt) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
grant select on erasure_salt to posthorn_system, posthorn_tenant;

create table erased_address (
  account_id uuid not null,
  address_key bytea not null,
  id uuid not null,
  reason smallint, -- of the suppression that stood there without an end; null: they asked not to be mailed
  created_at timestamptz not null,
  primary key (account_id, address_key)
);
select protect('erased_address', 'select, delete');

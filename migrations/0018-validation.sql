-- What probes found out, so that nobody is asked again for a day. By account: an answer must not tell one account what
-- another has asked about. Whether a domain takes every address is a fact about the domain, and is shared.
create table validation_result (
  account_id uuid not null,
  address text collate "C" not null, -- normal form
  result text not null check (result in ('deliverable', 'rejected', 'greylisted', 'blocked', 'timeout', 'catch_all')),
  latency_ms int,
  note text,
  expires_at timestamptz not null,
  reprobe_at timestamptz,            -- greylisted: when it is asked about again
  reprobes smallint not null default 0,
  primary key (account_id, address)
);
create index validation_result_expires on validation_result (expires_at);
create index validation_result_reprobe on validation_result (reprobe_at) where reprobe_at is not null;
select protect('validation_result', '');

create table validation_catch_all (
  domain text collate "C" primary key,
  catch_all boolean,                 -- null: asked, and not answered clearly yet
  asked_at timestamptz not null,
  expires_at timestamptz not null
);
create index validation_catch_all_expires on validation_catch_all (expires_at);
grant select, insert, update, delete on validation_catch_all to posthorn_system;

-- Mail exchangers that showed us the door: nobody asks them, in whichever process, before this moment.
create table validation_shunned (
  host text collate "C" primary key,
  until timestamptz not null
);
create index validation_shunned_until on validation_shunned (until);
grant select, insert, update, delete on validation_shunned to posthorn_system;

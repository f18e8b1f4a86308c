-- Contacts: people whom an account may write to, and the proof that they want it. `email` is the suppression key of the
-- address, `address` how it was given. Whether they have said no since stands on the two lists alone.
create table contact (
  id uuid not null,
  account_id uuid not null,
  email text collate "C" not null,
  address text not null,
  name text,
  status text not null check (status in ('pending_confirmation', 'subscribed')),
  source text not null,
  source_url text,
  consent_text text,
  consent_at timestamptz,
  tags text[] not null,
  double_opt_in boolean not null,
  sender text, -- of the confirmation mail; null: the account's default
  template_id uuid,
  confirmation_sent_at timestamptz, -- the last one; null: none has gone out
  resends smallint not null default 0,
  resent_at timestamptz,
  confirmed_at timestamptz,
  confirmed_ip text,
  confirmed_user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create unique index contact_email on contact (account_id, email);
select protect('contact', 'select, insert, update, delete');

-- How many confirmation mails an address got lately, whoever sent them: kept under a keyed hash, so that it tells no
-- address. Sandbox mail reaches nobody and is counted by itself.
create table confirmation_mail (
  address_hash bytea not null,
  sandbox boolean not null,
  sent_at timestamptz[] not null,
  last_at timestamptz not null,
  primary key (address_hash, sandbox)
);
create index confirmation_mail_last on confirmation_mail (last_at);
grant select, insert, update, delete on confirmation_mail to posthorn_system;

-- Where sandbox mail stands: exactly the bytes that a receiver would have got. Once for an email, however often it is tried.

create table inbox (
  id uuid not null,
  account_id uuid not null,
  email_id uuid not null,
  sender text not null,
  recipient text not null,
  recipient_key text not null, -- lower case
  subject text not null,
  raw bytea not null,
  size_bytes int not null,
  received_at timestamptz not null,
  primary key (account_id, id)
);
alter table inbox alter column raw set storage external;
create unique index inbox_email on inbox (account_id, email_id);
create index inbox_received on inbox (received_at);
select protect('inbox', 'select, delete');

-- Templates of mails. A mail is filled in when it is accepted: a change holds for what is accepted after it.
create table template (
  id uuid primary key,
  account_id uuid not null,
  name text not null,
  subject text not null,
  html text,
  text text,
  version int not null default 1, -- counts the changes
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index template_account on template (account_id, id);
select protect('template', 'select, insert, update, delete');

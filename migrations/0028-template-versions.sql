-- What a template was at each version, the present one included; older ones go when an account has kept too much.
create table template_version (
  account_id uuid not null,
  template_id uuid not null,
  version int not null,
  name text not null,
  subject text not null,
  html text,
  text text,
  bytes int not null, -- of subject, html and text
  created_at timestamptz not null,
  primary key (account_id, template_id, version)
);
select protect('template_version', 'select, insert, delete');

insert into template_version (account_id, template_id, version, name, subject, html, text, bytes, created_at)
select account_id, id, version, name, subject, html, text,
  octet_length(subject) + coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0), updated_at
from template;

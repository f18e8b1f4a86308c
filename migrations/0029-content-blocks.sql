-- Messages that were refused for their content. Of accepted ones the email's own snapshot tells.
create table content_block (
  account_id uuid not null,
  id uuid not null,
  domain_id uuid,
  score smallint not null,
  level text not null,
  matches jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index content_block_created on content_block (created_at);
select protect('content_block', 'select');

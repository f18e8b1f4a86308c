-- What receivers said no to: one row for each bounce or complaint, with the mail's own facts as they were, so that the
-- history outlives the mail.
create table bounce (
  id uuid not null,
  account_id uuid not null,
  email_id uuid,
  domain_id uuid,
  recipient text not null,
  recipient_key text collate "C" not null, -- lower case, as the lists compare it
  message_id text,
  sender text,
  subject text,
  tag text,
  metadata json,
  type text not null check (type in ('hard', 'soft', 'block', 'complaint', 'unknown')),
  category text not null,
  smtp_code smallint,
  enhanced_code text,
  diagnostic_code text,
  error_message text,
  command text,
  remote_host text,
  remote_ip text,
  source text not null,
  feedback_type text,
  attempt smallint,
  suppressed boolean not null,
  suppression_id uuid,
  sandbox boolean not null default false,
  bounced_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index bounce_newest on bounce (account_id, bounced_at, id);
create index bounce_recipient on bounce (account_id, recipient_key);
create index bounce_email on bounce (account_id, email_id);
select protect('bounce', 'select');

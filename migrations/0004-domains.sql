-- Sending domains. Two accounts may have the same name, each with its own token, selector and key: each stands on its
-- own proof, and neither learns of the other.

create table sending_domain (
  id uuid primary key,
  account_id uuid not null,
  name text not null, -- lower-case A-labels
  tags text[] not null default '{}',
  status text not null default 'pending'
    check (status in ('pending', 'verified', 'temporary_failure', 'failed', 'suspended')),
  verification_token text not null,
  dkim_selector text not null,
  dkim_public_key text not null, -- base64 of the SubjectPublicKeyInfo
  dkim_private_key bytea not null, -- PKCS#8 DER, sealed with the row's id
  -- The second key (RFC 8463), whose selector is the first one's with an `e`. Mail is signed with both while it is published.
  ed25519_public_key text not null, -- base64 of the bare 32 bytes
  ed25519_private_key bytea not null, -- as above
  ed25519_published boolean not null default false, -- what the last check found that had an answer
  ed25519_check jsonb, -- what the last check found; null before the first
  -- Null: the account's default holds.
  tracking_enabled boolean,
  open_tracking_enabled boolean,
  click_tracking_enabled boolean,
  unsubscribe_header_enabled boolean,
  tracking_domain_id uuid,
  checks jsonb, -- what the last check found, by purpose; null before the first
  spf_lost boolean not null default false, -- of a domain in use: its SPF record passed, and does no more
  created_at timestamptz not null,
  verified_at timestamptz, -- when it was last found verified after it was not
  last_checked_at timestamptz,
  status_since timestamptz not null, -- pending, temporary_failure: from when the 72 hours count
  next_check_at timestamptz, -- null: none is planned
  unique (account_id, name)
);
create index sending_domain_due on sending_domain (next_check_at) where next_check_at is not null;
create index sending_domain_name on sending_domain (name);
create index sending_domain_tracking on sending_domain (account_id, tracking_domain_id)
  where tracking_domain_id is not null;
select protect('sending_domain', 'select, insert, update, delete');

-- Replacing the DKIM keys of a domain: the next pair waits here until its record is found in the DNS, and then takes the place of
-- the current one. All next columns are null while no replacement is under way.
alter table sending_domain
  add column next_dkim_selector text,
  add column next_dkim_public_key text,
  add column next_dkim_private_key bytea,
  add column next_ed25519_public_key text,
  add column next_ed25519_private_key bytea,
  add column next_dkim_check jsonb, -- null before the first
  add column next_ed25519_check jsonb, -- as above
  add column next_dkim_since timestamptz,
  add column previous_dkim_selector text, -- null: the keys were never replaced
  add column dkim_replaced_at timestamptz;

-- A deleted account keeps its row, without what says whose it was: links and reports of its mail still arrive, and what they add is
-- deleted again for as long as they can.
alter table account
  add column deleted_at timestamptz,
  add column erased_at timestamptz, -- when nothing was left for the first time
  add column erase_at timestamptz;  -- when its data is looked for next; null: never again
create index account_erase on account (erase_at) where erase_at is not null;

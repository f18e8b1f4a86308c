-- A contact that unsubscribed asks to come back. While it is asked to confirm it stays on the list, and one mail passes: the
-- one that asks. What it consented to before is kept, with when that was withdrawn.
alter table unsubscribe add column confirming_email_id uuid;
alter table contact add column asked_back_at timestamptz, add column earlier_consents jsonb not null default '[]';
alter table list_removal drop constraint list_removal_removed_by_check,
  add constraint list_removal_removed_by_check check (removed_by in ('api', 'manual', 'expiry', 'confirmation'));

-- A contact that had unsubscribed and was taken off that list is asked anew, with a new consent. What it consented to before is
-- kept, with when that was withdrawn.
alter table contact add column asked_back_at timestamptz, add column earlier_consents jsonb not null default '[]';

-- Requests to erase what was sent to a recipient. The address is kept only until nothing of it is left.
create table recipient_erasure (
  account_id uuid not null,
  id uuid not null,
  recipient text collate "C", -- null: completed
  key_id uuid, -- null: a person using the dashboard
  emails_canceled int not null,
  emails_erased int not null default 0,
  created_at timestamptz not null,
  covers_until timestamptz not null, -- what is accepted later stays
  completed_at timestamptz,
  due_at timestamptz, -- when what is left is erased next; null: nothing is
  primary key (account_id, id),
  check ((completed_at is null) = (recipient is not null) and (completed_at is null) = (due_at is not null))
);
create unique index recipient_erasure_open on recipient_erasure (account_id, recipient) where completed_at is null;
create index recipient_erasure_due on recipient_erasure (due_at) where due_at is not null;
select protect('recipient_erasure', 'select');

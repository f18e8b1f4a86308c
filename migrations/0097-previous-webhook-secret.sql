-- The secret before the present one, sealed, and until when requests are signed with it too.
alter table webhook add column previous_secret bytea, add column previous_secret_until timestamptz;

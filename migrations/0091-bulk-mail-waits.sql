-- Mail to many waits for an account's other mail to the same destination.
alter table queue add column bulk boolean not null default false;
drop index queue_ready;
create index queue_ready on queue (site_id, account_id, bulk, at) where state = 0;

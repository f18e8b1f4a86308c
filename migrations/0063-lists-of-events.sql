-- Events by what the list asks for, newest first: each filter reads its own stretch of an index, however many other events the
-- account has. What was sent and delivered is most of any log and needs no index to be found by its type; the index of the other
-- types is not written while mail goes out. It holds what they are asked for with, so that counting reads it alone. None begins
-- with the account, for the reason in 0012.
create index event_type on event (type, account_id, at, event_id) include (tag, domain_id) where type > 2;
create index event_tag on event (tag, account_id, at, event_id) where tag is not null;
create index event_domain on event (domain_id, account_id, at, event_id) where domain_id is not null;

-- Emails by what the lists ask for, newest first: each filter reads its own stretch of an index, however many other emails
-- the account has. Each index ends with the id, so that the order is the index's and no page sorts what it does not show;
-- none begins with the account, for the reason in 0012.
drop index email_recipient;
create index email_recipient on email (recipient_key text_pattern_ops, account_id, id);
create index email_status on email (status, account_id, id);
create index email_tag on email (tag, account_id, id) where tag is not null;
create index email_domain on email (domain_id, account_id, id);

-- Emails are found by (account_id, id), by recipient and by Message-ID. The latter two do not begin with the account: a
-- plan made while a day's partition is empty takes any index that begins with it for as good as the primary key, and
-- then reads all of the account's emails of the day for each one that is recorded.
drop index email_recipient;
drop index email_message_id;
create index email_recipient on email (recipient_key text_pattern_ops, account_id);
create index email_message_id on email (message_id, account_id);

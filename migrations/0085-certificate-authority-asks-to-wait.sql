-- Until when a certificate authority asked not to be asked (Retry-After), and in what words: about anything, ...
alter table acme_account add column held_until timestamptz, add column held_why text;
-- ... and about one name. Null: it did not.
alter table tracking_domain add column ssl_not_before timestamptz;

-- What the last order of a certificate for the public URL's host failed with, for the operator to read; null: it did not.
alter table own_certificate add column error text;

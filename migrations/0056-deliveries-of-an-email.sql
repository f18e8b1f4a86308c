-- What endpoints were told of one email is asked on its page.
create index webhook_delivery_email on webhook_delivery (account_id, email_id) where email_id is not null;

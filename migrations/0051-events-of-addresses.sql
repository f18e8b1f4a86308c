-- Events about an address and no email: unsubscribes by the API, suppressions, contacts. They are few beside those of
-- emails, and the list of events looks through them for an address.

create index event_without_email on event (account_id, at) where email_id is null;

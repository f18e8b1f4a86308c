-- An account is asked for by its key at each order: a CA may have forgotten the one there was.
alter table acme_account drop column url;

-- Every process keeps the branded names of all accounts in memory, and reads them again when one has changed: with 20,000 of them
-- it cannot read them every two seconds. What is announced is that they have changed, not which.
create function announce_names() returns trigger language plpgsql as $$
begin
  notify posthorn_tracking;
  return null;
end $$;
create trigger announce_added after insert on tracking_domain for each row when (new.verified_at is not null)
  execute function announce_names();
create trigger announce_changed after update on tracking_domain for each row
  when ((old.name, old.verified_at, old.ssl_since, old.ssl_expires_at)
    is distinct from (new.name, new.verified_at, new.ssl_since, new.ssl_expires_at))
  execute function announce_names();
create trigger announce_removed after delete on tracking_domain for each row when (old.verified_at is not null)
  execute function announce_names();
create trigger announce after insert or update on tracking_domain_hold for each row execute function announce_names();
create trigger announce_tracking after update of tracking_domain_id on sending_domain for each row
  when (old.tracking_domain_id is distinct from new.tracking_domain_id) execute function announce_names();

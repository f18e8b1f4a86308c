-- How far an account's data has been forgotten: of before `begun_before` some may be missing, of before `done_before` all is
-- but the emails themselves, which go by `emails_before`. A table of its own: a change of an account is announced to all.
create table forgetting (
  account_id uuid primary key,
  begun_before timestamptz not null,
  done_before timestamptz,
  emails_before timestamptz
) with (fillfactor = 50);
select protect('forgetting', '');

-- Drops the oldest daily partition of `parent` when its whole day lies before `before_day`. @returns its day, or null. One a
-- transaction, since everyone waits for the lock on the parent; the files go after the lock.
create function drop_partition(parent regclass, before_day date) returns date
  language plpgsql security definer set search_path = posthorn, pg_temp as $$
declare
  child record;
begin
  select c.oid::regclass as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day into child
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = parent and right(c.relname, 8) ~ '^\d{8}$' order by right(c.relname, 8) limit 1;
  if child.day is null or child.day >= before_day then
    return null;
  end if;
  execute format('drop table %s', child.name);
  return child.day;
end $$;
revoke execute on function drop_partition(regclass, date) from public;
grant execute on function drop_partition(regclass, date) to posthorn_system;

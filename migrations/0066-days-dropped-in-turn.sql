-- Machines whose hourly turns come at the same moment drop a table's days one after the other: one saw a day that another had
-- just dropped, and failed (with a syntax error at times: a table that is gone is its number alone).
create or replace function drop_partition(parent regclass, before_day date) returns date
language plpgsql security definer set search_path = posthorn, pg_temp as $$
declare
  child record;
begin
  -- Waits as long as the caller's lock_timeout; what is read below is as the machine before left it.
  perform pg_advisory_xact_lock(hashtextextended('drop_partition ' || parent::text, 0));
  select c.oid::regclass as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day into child
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = parent and right(c.relname, 8) ~ '^\d{8}$' order by right(c.relname, 8) limit 1;
  if child.day is null or child.day >= before_day then
    return null;
  end if;
  execute format('drop table %s', child.name);
  return child.day;
end $$;

-- Nobody calls it any longer.
drop function drop_partitions(regclass, date);

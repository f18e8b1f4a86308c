-- Ground: three roles, one schema, and the functions with which every later migration protects and partitions tables.
--
-- posthorn_owner owns everything and is nobody's login; posthorn_system is the service itself (accepting, delivering,
-- following the log); posthorn_tenant is the API acting for one account and sees that account's rows alone. None of
-- them can log in: the user of DATABASE_URL is a member of all three and takes one of them when it connects.
-- This file is run as that user; every later file is run as posthorn_owner with search_path = posthorn.

do $$
declare
  name text;
begin
  foreach name in array array['posthorn_owner', 'posthorn_system', 'posthorn_tenant'] loop
    begin
      if not exists (select from pg_roles where rolname = name) then
        execute format('create role %I nologin', name);
      end if;
    exception when duplicate_object or unique_violation then
      null; -- another database of this cluster made it at the same moment
    end;
    if not pg_has_role(current_user, name, 'member') then
      execute format('grant %I to current_user', name);
    end if;
  end loop;
end $$;

create schema posthorn authorization posthorn_owner;
set local role posthorn_owner;
set local search_path = posthorn;

grant usage on schema posthorn to posthorn_system, posthorn_tenant;

-- The account of the current transaction, or null. No setting = null = no rows.
create function current_account() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.account_id', true), '')::uuid $$;
grant execute on function current_account() to posthorn_system, posthorn_tenant;

-- The smallest UUID version 7 of a moment: partition bounds of tables whose key is an id.
create function first_id_at(at timestamptz) returns uuid language sql immutable parallel safe
  as $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;
grant execute on function first_id_at(timestamptz) to posthorn_system, posthorn_tenant;

-- Puts a table that has an account_id under row level security: the tenant role sees and writes its own account's rows
-- alone, the system role all. `tenant_rights` is what the API may do with the table, '' for nothing.
create function protect(target regclass, tenant_rights text) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy tenant on %s to posthorn_tenant using (account_id = (select posthorn.current_account()))
    with check (account_id = (select posthorn.current_account()))', target);
  execute format('create policy system on %s to posthorn_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to posthorn_system', target);
  if tenant_rights <> '' then
    execute format('grant %s on %s to posthorn_tenant', tenant_rights, target);
  end if;
end $$;

-- Makes the daily partitions of `parent` from `first_day` on, `days` of them; those that exist are left alone.
-- `by_id`: the partition key is a version 7 id, else a timestamptz. Partitions get no grants of their own: they are
-- reached through their parent alone, whose policies hold; row level security without policies guards the direct way.
create function ensure_partitions(parent regclass, by_id boolean, first_day date, days int) returns int
  language plpgsql security definer set search_path = posthorn, pg_temp as $$
declare
  made int := 0;
  day date;
  child text;
  low timestamptz;
  high timestamptz;
begin
  for i in 0 .. days - 1 loop
    day := first_day + i;
    child := (select relname from pg_class where oid = parent) || '_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass('posthorn.' || quote_ident(child)) is not null;
    low := day::timestamp at time zone 'UTC';
    high := (day + 1)::timestamp at time zone 'UTC';
    begin
      if by_id then
        execute format('create table posthorn.%I partition of %s for values from (%L) to (%L)',
          child, parent, first_id_at(low), first_id_at(high));
      else
        execute format('create table posthorn.%I partition of %s for values from (%L) to (%L)', child, parent, low, high);
      end if;
      execute format('alter table posthorn.%I enable row level security', child);
      execute format('alter table posthorn.%I force row level security', child);
      made := made + 1;
    exception when duplicate_table then
      null; -- another node was quicker
    end;
  end loop;
  return made;
end $$;
revoke execute on function ensure_partitions(regclass, boolean, date, int) from public;
grant execute on function ensure_partitions(regclass, boolean, date, int) to posthorn_system;

-- Drops the daily partitions of `parent` whose whole day lies before `before_day`.
create function drop_partitions(parent regclass, before_day date) returns int
  language plpgsql security definer set search_path = posthorn, pg_temp as $$
declare
  dropped int := 0;
  child record;
begin
  for child in
    select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent and right(c.relname, 8) ~ '^\d{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < before_day
  loop
    execute format('drop table %s', child.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
revoke execute on function drop_partitions(regclass, date) from public;
grant execute on function drop_partitions(regclass, date) to posthorn_system;

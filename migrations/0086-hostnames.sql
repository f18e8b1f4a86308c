-- The host names of this installation: each POSTHORN_HOSTNAME that one of its processes has had. Mail sent under a former name, or
-- by another machine, is still reported about at that name.
create table hostname (
  name text primary key, -- in lower case
  used_at timestamptz not null -- by the clock of the database, to the hour
);
grant select, insert, update, delete on hostname to posthorn_system;

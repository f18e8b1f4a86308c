-- The time by which data is deleted for its age: the time of day, unless it has jumped ahead by more than a day and has not stood
-- there for a day yet. One row.
create table settled_time (
  is_row boolean primary key default true check (is_row),
  settled_at timestamptz not null, -- what deletions count from
  seen_at timestamptz not null, -- the time of day when it was last asked for
  doubted_since timestamptz -- the time of day when it was first found ahead; null: it is not
);
grant select, insert, update on settled_time to posthorn_system;

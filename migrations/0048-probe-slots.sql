-- Who probes which mail exchanger just now: a row for each of the connections that all processes together may hold to one
-- host. A slot that was not given back (its process died) is free again after `until`. Not logged: after a crash of the
-- database nobody probes.
create unlogged table validation_slot (
  host text collate "C" not null,
  slot smallint not null,
  until timestamptz not null,
  primary key (host, slot)
);
grant select, insert, update, delete on validation_slot to posthorn_system;

-- What all machines of one installation must agree upon.
create table instance (
  name text primary key,
  value text not null
);
grant select, insert on instance to posthorn_system;

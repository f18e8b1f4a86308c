-- What a domain may publish beside its four records: a name of its own for return paths, a logo (BIMI).
alter table sending_domain
  add column optional_checks jsonb,                                 -- what the last check found; null before the first
  add column return_path_published boolean not null default false;  -- mail goes out with a return path under the domain

-- A hit tells what its token told of the mail: an email that is kept no longer is asked nothing (src/modules/tracking/judge.ts).
alter table hit add column domain_id uuid;
alter table hit add column stream smallint not null default 0;
alter table hit add column sandbox boolean not null default false;

-- A browser that fetches a link or a picture ahead says so itself (Sec-Purpose); whoever looks at hits has to know.
alter table hit add column prefetch boolean not null default false;

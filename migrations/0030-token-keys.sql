-- Keys of the tokens in links after the first one, whose number is 1. The keys themselves come from the instance's secret.
create table token_key (
  number smallint primary key check (number between 1 and 255),
  since timestamptz not null,             -- mails accepted from then on have it
  retired boolean not null default false  -- its links work no more
);
grant select, insert, update on token_key to posthorn_system;

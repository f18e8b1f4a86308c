-- How many mails a new source address has carried to one receiver on a day (UTC).
create table warm_up (
  address text collate "C" not null,
  receiver text collate "C" not null,
  day date not null,
  mails int not null,
  primary key (address, day, receiver)
);
grant select, insert, update, delete on warm_up to posthorn_system;

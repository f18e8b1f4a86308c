-- Which machine tells a domain of a day's TLS sessions by HTTPS (RFC 8460), until when: no other does meanwhile.
create table transport_report_claim (
  day date not null,
  domain text collate "C" not null,
  until timestamptz not null,
  primary key (day, domain)
);
grant select, insert, update, delete on transport_report_claim to posthorn_system;

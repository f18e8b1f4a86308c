-- A report that an email soft-bounced often comes after a receiver took it: that delivery cleared nothing. So deliveries
-- are remembered beside the soft bounces, each with its place in their order, and one that bounced after all is struck out.

alter table soft_bounce
  add column bounce_order int[] not null default '{}',
  add column delivered_ids uuid[] not null default '{}',
  add column delivered_order int[] not null default '{}';
update soft_bounce set bounce_order = array(select generate_series(1, cardinality(email_ids)));

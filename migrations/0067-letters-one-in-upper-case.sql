-- Keys of addresses are compared with letters folded that are one with another in upper case: the Greek sigma at the end of a
-- word is the one within it. What was stored before is folded the same. Where two of an account's entries come to one, the one
-- that holds longer stays, of equals the older. What is kept as a hash alone cannot be folded.
create function folded_letters(key text) returns text language sql immutable as $$
  select translate(key,
    U&'\00b5\017f\0345\03c2\03d0\03d1\03d5\03d6\03f0\03f1\03f5\1c80\1c81\1c82\1c83\1c84\1c85\1c86\1c87\1c88\1e9b',
    U&'\03bc\0073\03b9\03c3\03b2\03b8\03c6\03c0\03ba\03c1\03b5\0432\0434\043e\0441\0442\0442\044a\0463\a64b\1e61')
$$;

-- The system's role sees the rows of all accounts; their owner, by the policies, none.
set local role posthorn_system;

do $$
declare
  list record;
begin
  for list in
    values ('contact', '', 'created_at, id'), ('suppression', ', sandbox', 'expires_at desc nulls first, created_at, id'),
      ('unsubscribe', ', sandbox', 'created_at, id'), ('soft_bounce', ', sandbox', 'last_at desc'),
      ('past_refusal', ', reason', 'at desc')
  loop
    execute format('delete from %1$I where (account_id, email %2$s) in (
      select account_id, email %2$s from (
        select account_id, email %2$s,
          row_number() over (partition by account_id, folded_letters(email) %2$s order by %3$s) as place
        from %1$I where folded_letters(email) in (
          select folded_letters(email) from %1$I where email <> folded_letters(email))) as same
      where place > 1)', list.column1, list.column2, list.column3);
    execute format('update %I set email = folded_letters(email) where email <> folded_letters(email)', list.column1);
  end loop;
end $$;

update list_removal set email = folded_letters(email) where email <> folded_letters(email);
update bounce set recipient_key = folded_letters(recipient_key) where recipient_key <> folded_letters(recipient_key);
update inbox set recipient_key = folded_letters(recipient_key) where recipient_key <> folded_letters(recipient_key);
update queue set recipient_key = folded_letters(recipient_key) where recipient_key <> folded_letters(recipient_key);
update email set recipient_key = folded_letters(recipient_key) where recipient_key <> folded_letters(recipient_key);

set local role posthorn_owner;
drop function folded_letters(text);

import { statement } from '../../platform/db.ts'

/** Adds to the counts; two processes with the same address count together. In order, so that they do not lock each other out. */
export const addWarmUp = statement(
  'delivery_add_warm_up',
  `insert into warm_up (address, day, receiver, mails)
   select * from unnest($1::text[], $2::date[], $3::text[], $4::int[]) as c(address, day, receiver, mails)
   order by address, day, receiver
   on conflict (address, day, receiver) do update set mails = warm_up.mails + excluded.mails
   returning address, day::text, receiver, mails`,
)
export const findWarmUp = statement(
  'delivery_find_warm_up',
  'select address, day::text, receiver, mails from warm_up where address = any($1) and day = $2::date limit $3',
)
export const forgetWarmUp = statement('delivery_forget_warm_up', 'delete from warm_up where day < $1::date')

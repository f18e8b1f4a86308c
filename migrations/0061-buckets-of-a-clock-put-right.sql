-- A bucket that was leased from while a clock was ahead holds a time to come, and gained nothing until that time had come.
-- Further than machines ever differ, it begins anew at the time that is told, with the tokens it has.
create or replace function lease_tokens(bucket_ids uuid[], classes text[], per_second float8[], bursts float8[], needs float8[],
  wants float8[], asked_at timestamptz)
  returns table (bucket_id uuid, class text, granted float8, tokens float8) language plpgsql as $$
declare
  asked record;
  bucket rate_bucket;
begin
  for asked in
    select * from unnest(bucket_ids, classes, per_second, bursts, needs, wants) as t(id, class, per_second, burst, need, want)
    order by t.id, t.class
  loop
    insert into rate_bucket as b values (asked.id, asked.class, asked.burst, asked_at)
    on conflict on constraint rate_bucket_pkey do update set
      tokens = least(asked.burst,
        b.tokens + asked.per_second * greatest(extract(epoch from asked_at - b.at)::float8, 0)),
      at = case when b.at > asked_at + interval '1 minute' then asked_at else greatest(b.at, asked_at) end
    returning b.* into bucket;
    granted := case when bucket.tokens >= asked.need then least(bucket.tokens, asked.want) else 0 end;
    if granted > 0 then
      update rate_bucket b set tokens = bucket.tokens - granted
      where b.bucket_id = asked.id and b.class = asked.class;
    end if;
    bucket_id := asked.id;
    class := asked.class;
    tokens := bucket.tokens - granted;
    return next;
  end loop;
end $$;

-- What is due first, whichever endpoint it is for: a worker looks four times a second, and thousands of endpoints may have
-- deliveries that are tried again in hours.
create index webhook_queue_soonest on webhook_queue (due);

-- Whoever switches an endpoint off ends its deliveries: what was tried of them is written into the log.
grant insert on webhook_delivery to posthorn_tenant;

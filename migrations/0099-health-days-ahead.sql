-- Records of days to come, from before a clock was put back, are deleted by the calculation that finds them.
grant delete on health_record to posthorn_tenant;

SET ROLE pg_monitor

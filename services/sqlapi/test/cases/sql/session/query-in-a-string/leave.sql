SELECT query_to_xml('SELECT set_config(''app.user'', ''ann'', false)', true, true, '') IS NULL AS empty

CREATE TABLE t (id int); CREATE RULE r AS ON INSERT TO t DO ALSO SELECT set_config('app.user', 'ann', false)

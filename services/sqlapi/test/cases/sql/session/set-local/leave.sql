-- @transactional
SET LOCAL app.who = 'ann';
SELECT current_setting('app.who') AS who

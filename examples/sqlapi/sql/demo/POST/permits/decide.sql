-- @transactional
-- @summary Decide an application
-- @enum outcome granted, refused
-- POST /demo/permits/decide {"permitId": 3, "outcome": "granted", "reason": ".."}
-- Both statements or neither: a second decision breaks the key of `decision`, so the permit keeps its state as well.
UPDATE permit
SET status = :outcome
WHERE permit_id = :permitId;

INSERT INTO decision (permit_id, outcome, reason)
VALUES (:permitId, :outcome, :reason)
RETURNING permit_id, outcome, decided_on;

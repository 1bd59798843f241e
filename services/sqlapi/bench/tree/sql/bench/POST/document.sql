-- A document there and back.
SELECT :document::jsonb AS document;

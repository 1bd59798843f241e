-- Fails when the divisor is 0.
SELECT 100 / :divisor::int4 AS quotient;

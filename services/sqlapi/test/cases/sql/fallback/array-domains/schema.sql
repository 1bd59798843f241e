CREATE DOMAIN numbers AS int[];
CREATE DOMAIN few_numbers AS numbers CHECK (cardinality(VALUE) < 5);
CREATE DOMAIN names AS text[];
CREATE DOMAIN documents AS jsonb[];
CREATE DOMAIN document AS jsonb;
CREATE TABLE item (numbers numbers, few few_numbers, names names, documents documents, each document[], nested numbers[]);

SELECT true AS yes, false AS no, (-32768)::int2 AS small, 2147483647::int4 AS int, 9223372036854775807::int8 AS big,
       (-9223372036854775807 - 1)::int8 AS least, 9007199254740993::int8 AS odd, 4294967295::oid AS oid, NULL::int8 AS none

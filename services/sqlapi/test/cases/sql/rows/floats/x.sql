SELECT 1.5::float4 AS single, 0.1::float8 AS double, (-2.5e-7)::float8 AS tiny, 'NaN'::float4 AS nan4, 'NaN'::float8 AS nan8,
       'Infinity'::float8 AS inf, '-Infinity'::float8 AS neg, 'infinity'::float4 AS inf4, 0::float8 AS zero, NULL::float8 AS none

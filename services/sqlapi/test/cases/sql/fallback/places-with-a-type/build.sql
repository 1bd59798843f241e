SELECT jsonb_build_object('k', :x) AS built

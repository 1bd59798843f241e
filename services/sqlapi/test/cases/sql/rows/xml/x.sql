SELECT '<a b="c">é</a>'::xml AS doc, ARRAY['<a/>'::xml, '<b/>'] AS docs

SELECT name FROM item WHERE big = :id AND small = :small

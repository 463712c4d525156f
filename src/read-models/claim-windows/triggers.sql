-- A creator who becomes popular gets totals of contracts of his own, and loses them when he no longer is.
create or replace trigger creator_is_counted after insert on popular_facets
for each row when (new.kind = 'creator') execute function count_for_creator();
create or replace trigger creator_is_counted_no_more after delete on popular_facets
for each row when (old.kind = 'creator') execute function count_for_creator();

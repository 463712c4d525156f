-- A creator with bitmaps has totals of contracts too.
create or replace trigger sync_creator_totals_after_insert after insert on indexed_facets
for each row when (new.kind = 'creator') execute function sync_creator_totals();
create or replace trigger sync_creator_totals_after_delete after delete on indexed_facets
for each row when (old.kind = 'creator') execute function sync_creator_totals();

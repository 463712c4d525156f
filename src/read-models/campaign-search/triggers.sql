-- For walks that began before. Each change of a campaign takes a revision first, by a trigger of its own.
create or replace trigger position_is_remembered before update of block_timestamp, start_at, end_at, is_exhausted on campaigns
for each row when ((old.block_timestamp, old.start_at, old.end_at, old.is_exhausted)
  is distinct from (new.block_timestamp, new.start_at, new.end_at, new.is_exhausted)) execute function remember_position();

create or replace trigger campaigns_are_counted_when_added after insert on facet_maps
referencing new table as added for each statement execute function count_mapped_campaigns();

create or replace trigger campaigns_are_counted_when_changed after update on facet_maps
referencing old table as removed new table as added for each statement execute function count_mapped_campaigns();

create or replace trigger campaigns_are_counted_when_removed after delete on facet_maps
referencing old table as removed for each statement execute function count_mapped_campaigns();

-- For walks that began earlier. Another trigger has bumped the data version before.
create or replace trigger record_former_position before update of block_timestamp, start_at, end_at, is_exhausted on campaigns
for each row when ((old.block_timestamp, old.start_at, old.end_at, old.is_exhausted)
  is distinct from (new.block_timestamp, new.start_at, new.end_at, new.is_exhausted)) execute function record_former_position();

-- Channels were stored as the locale of the database folds them, which in many locales is otherwise for a few letters, and in
-- C for all but ASCII. Where all are as they are to be, nothing is written.
do $$
begin
  create temporary table folded_channels on commit drop as
  select distinct key as campaign_key, fold_case(channel) as value
  from campaigns, unnest(distribution_channels) as channel;
  if exists (
    (select campaign_key, value from campaign_facets where kind = 'channel' except table folded_channels)
    union all
    (table folded_channels except select campaign_key, value from campaign_facets where kind = 'channel')
  ) then
    perform revise_data();
    delete from campaign_facets where kind = 'channel';
    insert into campaign_facets (kind, chain_id, value, campaign_key)
    select 'channel', 0, value, campaign_key from folded_channels;
    perform rebuild_campaign_maps();
  end if;
end
$$;
--> statement-breakpoint
-- What a generated column holds was made when its row was written.
update access_lists set name = name where name_words is distinct from word_starts(name);

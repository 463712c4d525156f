-- On every table that responses are made of, except derived ones that also change with the clock (totals of windows).
-- `create or replace`, so that a migration can copy a statement as it is.
create or replace trigger bump_data_version before insert or update or delete or truncate on access_list_members
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on access_lists
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on action_steps
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on action_templates
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on allow_list_addresses
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on allow_lists
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on campaign_facets
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on campaigns
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on claim_signatures
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on claims
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on contracts
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on incentives
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on tokens
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on feed_prices
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on imported_prices
for each statement execute function bump_data_version_before_write();
create or replace trigger bump_data_version before insert or update or delete or truncate on priced_tokens
for each statement execute function bump_data_version_before_write();

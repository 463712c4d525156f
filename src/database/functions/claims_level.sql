-- How much has been claimed, from 1 to 63, so that who has a higher level is before who has a lower one in the order of
-- trending: by US dollars, then by number of claims. Ten levels for each power of ten, from ten cents to a hundred
-- thousand dollars.
create or replace function claims_level(claim_count bigint, amount_usd numeric)
returns integer
language sql immutable parallel safe
as $$
  select case when amount_usd > 0 then 3 + width_bucket(amount_usd, '{
      0.1, 0.125, 0.16, 0.2, 0.25, 0.32, 0.4, 0.5, 0.63, 0.8,
      1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8,
      10, 12.5, 16, 20, 25, 32, 40, 50, 63, 80,
      100, 125, 160, 200, 250, 320, 400, 500, 630, 800,
      1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6300, 8000,
      10000, 12500, 16000, 20000, 25000, 32000, 40000, 50000, 63000, 80000}'::numeric[])
    when claim_count > 1 then 2
    else 1 end
$$;

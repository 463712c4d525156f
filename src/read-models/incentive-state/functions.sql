-- Spec §5.1 "spent", §5.2 "remaining budget": what an incentive has left by its record and its claims. What the record itself says
-- comes first. A plain query, so that it becomes part of the query that calls it.
create or replace function incentive_state(
  type text, asset text, definition jsonb, claim_count bigint, claimed_amount numeric
)
returns table (remaining_budget numeric, is_spent boolean)
language sql immutable parallel safe rows 1
as $$
  select
    case
      when asset is null then null
      when definition ? 'remainingBalance' then (definition ->> 'remainingBalance')::numeric
      when type = 'ERC20Incentive' and (definition ->> 'strategy')::numeric = 1 then (definition ->> 'reward')::numeric
      when type = 'ERC20Incentive' then (definition ->> 'reward')::numeric * (definition ->> 'limit')::numeric
      when type = 'CGDAIncentive' then greatest((definition ->> 'totalBudget')::numeric - amount_claimed, 0)
      else greatest((definition ->> 'limit')::numeric - amount_claimed, 0)
    end,
    case
      when (definition ->> 'remainingBalance')::numeric = 0 then true
      when type in ('AllowListIncentive', 'PointsIncentive') then claim_count >= (definition ->> 'limit')::numeric
      when type = 'ERC20Incentive' then (definition ->> 'limit')::numeric = 0
      when type = 'CGDAIncentive' then amount_claimed >= (definition ->> 'totalBudget')::numeric
      else amount_claimed >= (definition ->> 'limit')::numeric
    end
  from (select coalesce((definition ->> 'totalAmountClaimed')::numeric, claimed_amount) as amount_claimed) claimed
$$;

-- Spec §5.1 "spent", §5.2 "remaining budget": what an incentive has left by its record and its claims. What the record itself says
-- comes first. A plain query, so that it becomes part of the query that calls it.
create or replace function incentive_state(
  type text, asset text, definition jsonb, claim_count bigint, claimed_amount numeric
)
returns table (remaining_budget numeric, is_spent boolean)
language sql stable parallel safe rows 1
as $$
  select
    case
      when asset is null then null
      when definition ? 'remainingBalance' then (definition ->> 'remainingBalance')::numeric
      -- One claimant wins all of a raffle.
      when (definition ->> 'strategy')::numeric = 1 then (definition ->> 'reward')::numeric
      when limit_kind = 'remaining claims' then (definition ->> 'reward')::numeric * (definition ->> 'limit')::numeric
      else greatest(recorded.budget - amount_claimed, 0)
    end,
    case
      when (definition ->> 'remainingBalance')::numeric = 0 then true
      when limit_kind = 'claims' then claim_count >= (definition ->> 'limit')::numeric
      when limit_kind = 'remaining claims' then (definition ->> 'limit')::numeric = 0
      else amount_claimed >= recorded.budget
    end
  from (
    select coalesce((definition ->> 'totalAmountClaimed')::numeric, claimed_amount) as amount_claimed,
      coalesce(definition ->> 'totalBudget', definition ->> 'limit')::numeric as budget
  ) recorded
  join incentive_traits traits on traits.type = incentive_state.type
$$;

// Made by `npm run generate`. Do not change it by hand.

/**
 * What the service knows of each variant of incentives; one that only a newer service has is missing.
 *
 * `reward` is what a claim pays: `fixed`: the field `reward`; `share`: that share of an amount; `auction`: what the state of an
 * auction makes it; `proof`: what a proof says in all, less what was claimed; `none`: no amount. `limit` is what its limit counts:
 * all its `claims`, the `remaining claims`, or the base units of its `budget`. One that `paysToken` pays that in its field `asset`.
 * One that `isPegged` has amounts of its `peg`. One that `mayBeRaffle` is one if its `strategy` says so.
 */
export const incentiveTraits = {
  AllowListIncentive: { reward: 'none', limit: 'claims', paysToken: false, isPegged: false, mayBeRaffle: false },
  CGDAIncentive: { reward: 'auction', limit: 'budget', paysToken: true, isPegged: false, mayBeRaffle: false },
  ERC20Incentive: { reward: 'fixed', limit: 'remaining claims', paysToken: true, isPegged: false, mayBeRaffle: true },
  PointsIncentive: { reward: 'fixed', limit: 'claims', paysToken: false, isPegged: false, mayBeRaffle: false },
  ERC20VariableIncentive: { reward: 'share', limit: 'budget', paysToken: true, isPegged: false, mayBeRaffle: false },
  ERC20VariableCriteriaIncentive: { reward: 'share', limit: 'budget', paysToken: true, isPegged: false, mayBeRaffle: false },
  ERC20VariableCriteriaIncentiveV2: { reward: 'share', limit: 'budget', paysToken: true, isPegged: false, mayBeRaffle: false },
  ERC20PeggedIncentive: { reward: 'fixed', limit: 'budget', paysToken: true, isPegged: true, mayBeRaffle: false },
  ERC20PeggedVariableCriteriaIncentive: { reward: 'share', limit: 'budget', paysToken: true, isPegged: true, mayBeRaffle: false },
  ERC20PeggedVariableCriteriaIncentiveV2: { reward: 'share', limit: 'budget', paysToken: true, isPegged: true, mayBeRaffle: false },
  TimeBasedIncentive: { reward: 'proof', limit: 'budget', paysToken: true, isPegged: false, mayBeRaffle: false },
} as const

interface Schema {
  [keyword: string]: unknown
  properties?: Record<string, unknown>
  required?: string[]
  allOf?: object[]
}

/** Objects that have many properties in common: the name of what these are, and its description. */
const FAMILIES: [name: string, description: string, members: string[]][] = [
  ['CampaignBase', 'What a campaign has in lists and in its detail.', ['CampaignListItem', 'CampaignDetail']],
  [
    'TokenIncentive',
    'What every incentive that pays a token has.',
    [
      'ERC20Incentive',
      'ERC20VariableIncentive',
      'ERC20VariableCriteriaIncentive',
      'ERC20VariableCriteriaIncentiveV2',
      'ERC20PeggedIncentive',
      'ERC20PeggedVariableCriteriaIncentive',
      'ERC20PeggedVariableCriteriaIncentiveV2',
    ],
  ],
  [
    'CriteriaIncentive',
    'What every incentive has whose reward depends on the action.',
    [
      'ERC20VariableCriteriaIncentive',
      'ERC20VariableCriteriaIncentiveV2',
      'ERC20PeggedVariableCriteriaIncentive',
      'ERC20PeggedVariableCriteriaIncentiveV2',
    ],
  ],
  [
    'PeggedIncentive',
    'What every incentive has whose reward follows the price of another asset.',
    ['ERC20PeggedIncentive', 'ERC20PeggedVariableCriteriaIncentive', 'ERC20PeggedVariableCriteriaIncentiveV2'],
  ],
  ['AmountSource', 'Where an amount is read from.', ['Criteria', 'CriteriaWithValueType']],
  ['Finding', 'Whether an account can claim an incentive.', ['IncentiveEligibility', 'Reward']],
  ['ClaimedSum', 'What was claimed of a token.', ['Reward', 'RewardTotal']],
  ['OfIncentive', 'Which incentive it is of.', ['Claim', 'Reward']],
  ['TokenFacts', 'What is known of every token.', ['TokenMetadata', 'ListedToken']],
]

/** Moves what all members of a family have alike into a schema that each of them includes. */
export function shareProperties(schemas: Record<string, Schema>) {
  for (const [name, description, members] of FAMILIES) {
    const all = members.map((member) => schemas[member]).filter((schema) => schema !== undefined)
    const has = ({ properties, required }: Schema, key: string) =>
      JSON.stringify([properties?.[key], required?.includes(key)])
    const [first = {}] = all
    const keys = Object.keys(first.properties ?? {}).filter((key) =>
      all.every((one) => has(one, key) === has(first, key)),
    )
    const { properties, required } = only(first, (key) => keys.includes(key))
    schemas[name] = { type: 'object', description, properties, required }
    for (const schema of all) {
      Object.assign(
        schema,
        only(schema, (key) => !keys.includes(key)),
      )
      schema.allOf = [...(schema.allOf ?? []), { $ref: `#/components/schemas/${name}` }]
      // What a schema includes is no additional property of the whole.
      schema.unevaluatedProperties = false
      delete schema.additionalProperties
    }
  }
}

const only = ({ properties = {}, required = [] }: Schema, isWanted: (key: string) => boolean) => ({
  properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isWanted(key))),
  required: required.filter(isWanted),
})

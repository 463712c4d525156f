import pg from 'pg'
import { incentiveTraits } from '../../schemas/campaigns/incentives.ts'

const rows = Object.entries(incentiveTraits).map(
  ([type, { reward, limit, paysOnce, paysToken }]) =>
    `(${[type, reward, limit].map((word) => pg.escapeLiteral(word)).join(', ')}, ${paysOnce}, ${paysToken})`,
)

/** What SQL knows of the variants of incentives: a row each, so that no statement names one. */
export const incentiveTraitsView = `-- The variants of incentives, and what is to be known of each (see IncentiveTraits).
create or replace view incentive_traits as
select * from (values
  ${rows.join(',\n  ')}
) as traits (type, reward, limit_kind, pays_once, pays_token);`

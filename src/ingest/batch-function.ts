import type pg from 'pg'
import { nameTouchedCampaigns } from '../read-models/data-version/maintain.ts'
import { aboutCampaigns, type Ingredient } from '../read-models/steps.ts'
import { IMPORT_LOCK } from './ingest-lock.ts'
import { mergeSteps } from './merge.ts'
import { checkSteps, firstFaultsSql, type ReferenceFault, refuseFaults } from './reference-checks.ts'
import { stagingSteps, type toStagedJson } from './staged-batches.ts'
import { emptyWideTables } from './working-tables.ts'

/*
 * A small batch is one statement: all its steps in a function that lives as long as the connection. The two dozen
 * statements have no way to go between the processes, their plans are kept, and what they write is committed with them.
 */

const oneOf = (ingredients: readonly Ingredient[]) => `$2 && '{${ingredients.join(',')}}'`
const when = (condition: string, ...statements: string[]) =>
  `if ${condition} then ${statements.map(performed).join('; ')}; end if;`
/** A query that is asked for what it does; everything else is the same in PL/pgSQL. */
const performed = (statement: string) => statement.replace(/^\s*select\s/, 'perform ')

/** $1 is the batch as JSON, $2 what it holds. Returns the faulty references, of which a batch that is applied has none. */
const functionSql = `
  create function pg_temp.apply_batch(json, text[]) returns json language plpgsql as $function$
  declare
    faults json;
  begin
    perform pg_advisory_xact_lock(${IMPORT_LOCK});
    ${stagingSteps.map(({ of, sql }) => when(oneOf([of]), ...sql)).join('\n')}
    ${checkSteps.map(({ of, sql }) => when(oneOf(of), sql)).join('\n')}
    faults := (select json_agg(first_faults) from (${firstFaultsSql}) first_faults);
    if faults is null then
      ${mergeSteps.map(({ of, needs, sql }) => when(needs === undefined ? oneOf(of) : `${oneOf(of)} and exists (select from ${needs})`, sql)).join('\n')}
      ${when(`$2 <@ '{${aboutCampaigns.join(',')}}'`, nameTouchedCampaigns)}
    end if;
    ${emptyWideTables.map(({ of, empty }) => when(oneOf([of]), empty)).join('\n')}
    return faults;
  end
  $function$`

/** Makes the function, for a connection that has working tables. */
export const createBatchFunction = (client: pg.Client) => client.query(functionSql)

/** Applies a batch of few records in a transaction of its own. */
export async function applyByFunction(client: pg.Client, { json, ingredients }: ReturnType<typeof toStagedJson>) {
  const { rows } = await client.query<{ faults: ReferenceFault[] | null }>({
    name: 'apply_batch',
    text: 'select pg_temp.apply_batch($1, $2) as faults',
    values: [json, [...ingredients]],
  })
  refuseFaults(rows[0]?.faults ?? [], ['batch'])
}

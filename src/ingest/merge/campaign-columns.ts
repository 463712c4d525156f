import { campaignFields, withColumns } from '../../database/campaign-fields.ts'
import { chosenColumnNames } from '../staging/staged-columns.ts'

/*
 * The three statements that name the columns of campaigns one by one. These follow from the list of fields, so that a new field
 * need not be written here too; all other statements are in `.sql` files.
 */

const chosen = chosenColumnNames.join(', ')

/** What the own records of campaigns have in the columns that metadata can set. */
export const storeOwnColumns = `update campaign_metadata metadata set own = staged.own
  from (
    select id, (
      select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(campaign))
      where key = any ('{${chosen}}')
    ) as own
    from staged_campaign campaign
  ) staged
  where metadata.id = staged.id and metadata.own is distinct from staged.own`

/** Lays metadata over staged campaigns; the columns of each kind of list are set together. */
export const overlayChosenColumns = `update staged_campaign staged set (${chosen}) = (
    select ${chosen} from jsonb_populate_record(staged, chosen
      - case when allow_list_type = 'OffchainAccessList' then '' else 'access_list_id' end
      - case when allow_list_type in ('SimpleAllowList', 'SimpleDenyList') then '' else 'allow_list_addresses' end))
  from campaign_metadata metadata where metadata.id = staged.id`

/** The columns of campaigns with their values where they are staged. */
const values: Record<string, string> = Object.fromEntries([
  ...['chain_id', 'core_address', 'identifier', 'max_claims_per_claimant'].map((column) => [column, column]),
  ...withColumns(campaignFields).map(({ sqlName, sqlType }) => [
    sqlName,
    sqlType === 'text[]' ? `array(select jsonb_array_elements_text(${sqlName}))` : sqlName,
  ]),
  ...['action_token_chain_id', 'action_token_address'].map((column) => [column, column]),
  ['uses_template_as_is', 'action_template_id is not null and not custom_action'],
])
const columns = Object.keys(values)
const columnsOf = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')

/** An unchanged campaign writes nothing. */
export const storeCampaigns = `insert into campaigns as target (id, ${columns.join(', ')})
  select id, ${Object.values(values).join(', ')} from staged_campaign
  on conflict (id) do update set (${columns.join(', ')}) = row(${columnsOf('excluded')})
  where (${columnsOf('target')}) is distinct from (${columnsOf('excluded')})`

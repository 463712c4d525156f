/** Makes the documents of campaigns again, once their records are stored; `keys` is a query of them. */
export const makeCampaignDocuments = (keys: string) => `select make_campaign_documents(array(${keys}))`

/** The same where nothing but the state of incentives has changed, which are in no other part of a document. */
export const remakeCampaignBodies = (keys: string) => `update campaign_documents stored
  set body = due.body, version = gen_random_uuid()
  from campaign_bodies due
  where due.campaign_key = any (array(${keys})) and stored.campaign_key = due.campaign_key and stored.body <> due.body`

/**
 * The database makes the documents by its own function, into a table of this transaction only, under the name that the
 * function uses: so there is one definition, and no stored row is written.
 */
export const beforeDocumentsDiffer =
  'create temporary table campaign_documents (like public.campaign_documents including all) on commit drop'

/** Campaigns among some, given by their keys, whose stored documents differ from those just made. */
export const differingDocuments = `
  select id as what
  from unnest($1::bigint[]) wanted (key)
  join campaigns using (key)
  left join pg_temp.campaign_documents made on made.campaign_key = key
  left join public.campaign_documents stored on stored.campaign_key = key
  where (stored.body, stored.allow_list, stored.action_steps, stored.detail_allow_list, stored.detail)
    is distinct from (made.body, made.allow_list, made.action_steps, made.detail_allow_list, made.detail)`

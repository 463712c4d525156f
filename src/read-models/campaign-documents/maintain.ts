/** Makes the documents of campaigns again, once their records are stored; `keys` is a query of them. */
export const makeCampaignDocuments = (keys: string) => `select make_campaign_documents(array(${keys}))`

/** The same where nothing but the state of incentives has changed, which are in no other part of a document. */
export const remakeCampaignBodies = (keys: string) => `update campaign_documents stored
  set body = due.body, version = gen_random_uuid()
  from campaign_bodies due
  where due.campaign_key = any (array(${keys})) and stored.campaign_key = due.campaign_key and stored.body <> due.body`

/** Makes the documents of campaigns again, once their records are stored; `keys` is a query of them. */
export const makeCampaignDocuments = (keys: string) => `select make_campaign_documents(array(${keys}))`
